package providertest

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/walls"
	"ocaptain/tasks/eventually"
)

// victim is a script of a ship's agent: it starts a terminal server, sockets and a process, makes a key, and prints
// where they are. Its sockets have a name of their own: ships of other tests may be in the same directory and network.
const victim = `name=victim-$(cut -c-8 /proc/sys/kernel/random/uuid)
cd && echo secret >.key && tmux -L "$name" new-session -d -s x 'sleep 98761'
cat >listen.py <<'PY'
import os, socket, sys, time
a = socket.socket(socket.AF_UNIX); a.bind("\0" + sys.argv[1]); a.listen()
t = socket.socket(); t.bind(("0.0.0.0", 0)); t.listen()
print(t.getsockname()[1], os.getpid(), flush=True)
os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
time.sleep(98762)
PY
{ setsid python3 listen.py "$name" 2>/dev/null & } | head -n 1
tmux -L "$name" display-message -p '#{socket_path}'
address=$(ip -4 -o address show scope global | sed -nE '1s/.* inet ([^ /]*).*/\1/p')
echo "${address:-127.0.0.1}"
echo "$HOME"`

// stranger is a program of a hostile agent. It prints each way by which it reaches the ship.
const stranger = `import ctypes, os, socket, subprocess, sys
port, pid, tmux, address, home = sys.argv[1:]
def way(name, f):
    try:
        if f() is not False: print(name)
    except (OSError, subprocess.SubprocessError): pass
def connect(family, at):
    s = socket.socket(family); s.settimeout(5); s.connect(at)
def trace():
    return ctypes.CDLL(None).ptrace(0x4206, int(pid), 0, 0) == 0
def command(p):
    try: return open("/proc/%s/cmdline" % p).read()
    except OSError: return "" # it has ended
def processes():
    return any("listen.py" in command(p) for p in os.listdir("/proc") if p.isdigit())
way("terminal", lambda: connect(socket.AF_UNIX, tmux))
way("tmux", lambda: subprocess.run(["tmux", "-S", tmux, "list-sessions"], check=True, capture_output=True))
way("abstract", lambda: connect(socket.AF_UNIX, "\0" + os.path.basename(tmux)))
way("loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", int(port))))
way("address", lambda: connect(socket.AF_INET, (address, int(port))))
way("signal", lambda: os.kill(int(pid), 0) or processes())
way("trace", trace) if processes() else None
way("processes", processes)
way("key", lambda: open(home + "/.key").read())
way("home", lambda: open(home + "/left", "w"))
way("runtime", lambda: os.listdir(os.path.dirname(tmux)))
for d in "/", "/usr", "/run", "/etc":
    way("write " + d, lambda: open(d + "/left", "w"))
`

// ways are all ways except writing where no user may write; listening are the ways that stay open when a check cannot have its
// own network.
var (
	ways      = []string{"terminal", "tmux", "abstract", "loopback", "address", "signal", "trace", "processes", "key", "home", "runtime"}
	listening = []string{"abstract", "loopback", "address"}
)

// Stranger runs a hostile program on a ship directly, where it reaches everything, and then as checks of that ship. As a check it reaches
// nothing, except listeners that the ship says are open.
func Stranger(t *testing.T, run func(link.Command) (link.Result, error)) {
	t.Helper()
	sh := func(script string, args ...string) string {
		t.Helper()
		r, err := run(link.Command{Argv: append([]string{"sh", "-c", script, "sh"}, args...)})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(r.Stdout))
	}
	at := strings.Fields(sh(victim))
	if len(at) != 5 {
		t.Fatalf("the victim does not run: %q", at)
	}
	sh("cd && mkdir -p voyage && cat >stranger.py <<'PY'\n" + stranger + "PY")
	reached := strings.Fields(sh(`cd && python3 stranger.py "$@"`, at...))
	for _, way := range ways {
		if !slices.Contains(reached, way) {
			t.Errorf("on the ship it does not reach %q", way)
		}
	}
	open, err := run(walls.Remains())
	if err != nil {
		t.Fatal(err)
	}
	told := strings.TrimSpace(string(open.Stdout))
	if told != "" && told != "what listens at the ship's loopback" {
		t.Errorf("checks reach %s", told)
	}
	for _, script := range []string{"", "yes"} {
		sh("cd && mkdir -p voyage/.clean-1/.git && cp stranger.py voyage/.clean-1")
		check := "python3 stranger.py " + strings.Join(at, " ") + " && (setsid sleep 9876" + at[0] + " >/dev/null 2>&1 &) && test \"$PWD\" -ef ~/voyage/workspace && : >here && python3 -c 'import socket; socket.gethostbyname(\"localhost\")'"
		command := check
		if script != "" {
			command = ""
		}
		c, word := walls.Check(path.Join(at[4], "voyage", ".clean-1"), command, []byte(check))
		r, err := run(c)
		said, passed := strings.CutSuffix(string(r.Stdout), word)
		for _, way := range strings.Fields(said) {
			if told == "" || !slices.Contains(listening, way) {
				t.Errorf("script %q: the stranger reaches %q", script, way)
			}
		}
		if err != nil || !passed {
			t.Errorf("script %q: %v: %s", script, err, said)
		}
		// When the check ends, the kernel kills what it has started, which may take a moment.
		eventually.Succeeds(t, "nothing of the check runs", func() error {
			if got := sh("pgrep -f '^sleep 9876" + at[0] + "' || :"); got != "" {
				return fmt.Errorf("it leaves %s", got)
			}
			return nil
		})
	}
}

func checkReachesNothing(t *testing.T, h *harness, m provider.Machine) {
	if runtime.GOOS != "linux" { // only ships on the captain's own machine can have another system
		return
	}
	l := h.link(m, h.signer, m.HostKey)
	Stranger(t, func(c link.Command) (link.Result, error) { return l.Run(h.ctx(), c) })
}
