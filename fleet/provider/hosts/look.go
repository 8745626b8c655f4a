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

// Look is the result of inspecting a host. The inspection changes nothing on the host.
type Look struct {
	Host  string // its entry in the configuration
	Err   error  // why it cannot be used at all, nil when it can
	User  string // name of the user there
	Addr  string // host:port
	OS    string // named as Go does
	Arch  string // named as Go does
	Git   string // line with the version, "" when it is not installed
	Tmux  string // as Git
	Bash  string // as Git
	Walls string // why ships cannot be sandboxed there, "" when they can
	Free  int    // free space for ships in MiB, -1 if unknown
	Ships int    // number of ships there, of all installs
	Kills bool   // systemd-logind there kills what a login leaves behind, including ships
}

// MissingPrograms names the programs that ships need and the host lacks, or has in an older version. why says what is
// wrong with each.
func (l Look) MissingPrograms() (install, why []string) {
	said := map[string]string{tools.Git.Name: l.Git, tools.Tmux.Name: l.Tmux, tools.Bash.Name: l.Bash}
	for _, t := range tools.OfShips() {
		if err := t.Accept(said[t.Name]); err != nil {
			install, why = append(install, t.Wanted()), append(why, err.Error())
		}
	}
	return install, why
}

// lookScript prints one line for each field of a Look. Its argument is the directory of ships.
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

// Look implements describe.Places.
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

// place returns the result in words.
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

// leastFree is how much free space a host should have, in MiB.
const leastFree = 1024

// LookAtAll inspects all configured hosts at the same time.
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

// agentScript starts an ssh-agent, if there is one, prints its socket, and stops it when the script's input ends.
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

// askKeys is the request for an ssh-agent's keys (draft-ietf-sshm-ssh-agent, section 3.5).
var askKeys = []byte{0, 0, 0, 1, 11}

// errForwarding is the error of a host whose sshd does not forward sockets, so that its ships cannot be reached.
var errForwarding = errors.New("sshd_config there must have AllowStreamLocalForwarding yes")

// proveForwarding returns an error if sockets on the host cannot be reached. It tests this with the socket of an ssh-agent; without one on
// the host it returns nil.
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

// firstLine is a writer that sends the first line to a channel.
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

// read parses the output of lookScript.
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
