package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tools"
)

// Look is what a host is found to be. Nothing is made there for it.
type Look struct {
	Host  string // as it is configured
	Err   error  // why it cannot be used at all, nil when it answers
	User  string // there
	Addr  string // host:port
	OS    string // as Go names it
	Arch  string // as Go names it
	Git   string // version line, "" when it is not installed
	Tmux  string // the same
	Bash  string // the same
	Walls string // why ships cannot be confined there, "" when they can
	Free  int    // MiB where ships would be, -1 when that is not known
	Ships int    // there now, of any install
	Kills bool   // systemd-logind there ends what a login leaves behind, ships too
}

// MissingPrograms names the programs that ships need there and the host does not have, or not in the version
// that is needed. why says what is wrong with each.
func (l Look) MissingPrograms() (install, why []string) {
	said := map[string]string{tools.Git.Name: l.Git, tools.Tmux.Name: l.Tmux, tools.Bash.Name: l.Bash}
	for _, t := range tools.OfShips() {
		if err := t.Accept(said[t.Name]); err != nil {
			install, why = append(install, t.Wanted()), append(why, err.Error())
		}
	}
	return install, why
}

// lookScript prints a line for each thing. Its argument is the directory of ships.
const lookScript = `cd || exit 1
version() { command -v "$1" >/dev/null 2>&1 && echo "$1 $("$@" 2>&1 | head -n 1)"; }
version git --version
version tmux -V
version bash --version
echo "free $(df -Pk . | awk 'NR == 2 { print $4 }')"
n=0
for d in "$1"/*/; do [ -d "$d" ] && n=$((n+1)); done
echo "ships $n"
loginctl show-session 2>/dev/null | sed -n 's/^KillUserProcesses=/kills /p; s/^KillExcludeUsers=/spares /p; s/^KillOnlyUsers=/only /p'
if ! command -v bwrap >/dev/null 2>&1; then
	echo "walls bubblewrap is not installed"
elif ! said=$(bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run --unshare-pid --unshare-ipc --cap-drop ALL -- /bin/sh -c : 2>&1); then
	echo "walls bubblewrap does not work there: $said"
fi
`

// Look is that of describe.Places.
func (p *Provider) Look(ctx context.Context) ([]describe.Place, error) {
	looks, err := p.LookAtAll(ctx)
	if err != nil {
		return nil, err
	}
	places := make([]describe.Place, len(looks))
	for i, l := range looks {
		places[i] = l.place()
	}
	return places, nil
}

// place tells in words what was seen of a host.
func (l Look) place() describe.Place {
	p := describe.Place{Name: "host " + l.Host, Err: l.Err, OS: l.OS, Arch: l.Arch, Walls: l.Walls}
	if l.Err != nil {
		return p
	}
	bash, _, _ := strings.Cut(l.Bash, "\n")
	ships := fmt.Sprintf("%d ships", l.Ships)
	if l.Ships == 1 {
		ships = "1 ship"
	}
	p.Said = []string{l.User + "@" + l.Addr, l.OS + " " + l.Arch, l.Git, l.Tmux, bash, ships}
	p.Missing, p.Doubts = l.MissingPrograms()
	if l.Kills {
		p.Doubts = append(p.Doubts, "its systemd-logind ends ships with the login that made them (KillUserProcesses=yes)")
		p.Fix = "set KillExcludeUsers=root " + l.User + " in /etc/systemd/logind.conf there, then: sudo systemctl restart systemd-logind"
	}
	if l.Free >= 0 && l.Free < leastFree {
		p.Doubts = append(p.Doubts, fmt.Sprintf("only %d MiB are free", l.Free))
	}
	return p
}

// leastFree is how much room a ship should find on a host, in MiB.
const leastFree = 1024

// LookAtAll finds out about all hosts that are configured, at the same time.
func (p *Provider) LookAtAll(ctx context.Context) ([]Look, error) {
	all, err := p.entries()
	if err != nil {
		return nil, err
	}
	looks := make([]Look, len(all))
	var asked sync.WaitGroup
	for i, e := range all {
		asked.Go(func() { looks[i] = p.lookAtHost(ctx, e) })
	}
	asked.Wait()
	return looks, ctx.Err()
}

func (p *Provider) lookAtHost(ctx context.Context, e Entry) Look {
	l := Look{Host: e.String(), Free: -1}
	c, err := p.captain.Connect(ctx, e.loginPlace())
	if err != nil {
		l.Err = err
		return l
	}
	defer c.Close()
	if l.User, l.Addr, err = p.captain.LoginOf(ctx, e.loginPlace()); err != nil {
		l.Err = err
		return l
	}
	k, err := p.kindOf(ctx, c, e)
	if err != nil {
		l.Err = err
		return l
	}
	l.OS, l.Arch = k.os, k.arch
	out, err := runScript(ctx, c, e, lookScript, []string{Root}, nil)
	if err != nil {
		l.Err = err
		return l
	}
	l.read(string(out))
	l.Err = p.proveForwarding(ctx, c, e)
	return l
}

// agentScript starts an ssh-agent, where there is one, prints its socket, and ends it with its own input.
const agentScript = `command -v ssh-agent >/dev/null 2>&1 || exit 0
d=$(mktemp -d /tmp/ocaptain-look.XXXXXXXX) || exit 0
ssh-agent -D -a "$d/s" >/dev/null 2>&1 &
trap 'kill $! 2>/dev/null; rm -rf -- "$d"' EXIT
n=0
while [ ! -S "$d/s" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done
[ -S "$d/s" ] || exit 0
echo "$d/s"
cat >/dev/null
`

// askKeys asks an ssh-agent for its keys (draft-ietf-sshm-ssh-agent, section 3.5).
var askKeys = []byte{0, 0, 0, 1, 11}

// errForwarding is the error of a host whose sshd forwards no sockets, so that ships on it cannot be reached.
var errForwarding = errors.New("sshd_config there must have AllowStreamLocalForwarding yes")

// proveForwarding proves that sockets of the host can be reached, as ships' are. Where no ssh-agent of the host answers it proves nothing.
func (p *Provider) proveForwarding(ctx context.Context, c *openssh.Conn, e Entry) error {
	in, hold := io.Pipe()
	defer hold.Close()
	line := &firstLine{came: make(chan string, 1)}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx, shellCommand(agentScript, nil), in, line)
		ended <- err
	}()
	select {
	case socket := <-line.came:
		if err := c.Ask(ctx, socket, askKeys); errors.Is(err, openssh.ErrNoServer) {
			return fmt.Errorf("host %s: %w: %w", e, errForwarding, err)
		}
		return nil
	case err := <-ended:
		return err
	}
}

// firstLine hands over the first line that is printed.
type firstLine struct {
	came chan string
	said []byte
}

func (f *firstLine) Write(p []byte) (int, error) {
	if len(f.said) < 1000 {
		f.said = append(f.said, p...)
	}
	if line, _, whole := strings.Cut(string(f.said), "\n"); whole {
		select {
		case f.came <- line:
		default:
		}
	}
	return len(p), nil
}

// read takes in what lookScript printed.
func (l *Look) read(out string) {
	said := map[string]string{}
	for line := range strings.Lines(out) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); value != "" {
			said[name] = openssh.ShortLine(value)
		}
	}
	l.Git, l.Tmux, l.Bash, l.Walls = said["git"], said["tmux"], said["bash"], said["walls"]
	if n, err := strconv.Atoi(said["free"]); err == nil {
		l.Free = n >> 10
	}
	l.Ships, _ = strconv.Atoi(said["ships"])
	only := strings.Fields(said["only"])
	l.Kills = said["kills"] == "yes" && !slices.Contains(strings.Fields(said["spares"]), l.User) && (len(only) == 0 || slices.Contains(only, l.User))
}
