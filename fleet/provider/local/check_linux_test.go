package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/walls"
)

// victim is what runs on a ship: a terminal server, sockets, a process and a key. It prints where they are.
const victim = `cd && echo secret >.key && tmux -L victim new-session -d -s x 'sleep 98761'
cat >listen.py <<'PY'
import os, socket, sys, time
a = socket.socket(socket.AF_UNIX); a.bind("\0victim"); a.listen()
t = socket.socket(); t.bind(("0.0.0.0", 0)); t.listen()
print(t.getsockname()[1], os.getpid(), flush=True)
os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
time.sleep(98762)
PY
{ setsid python3 listen.py 2>/dev/null & } | head -n 1
tmux -L victim display-message -p '#{socket_path}'
ip -4 -o address show scope global | sed -nE '1s/.* inet ([^ /]*).*/\1/p'
echo "$HOME"`

// stranger is code of another agent. It prints each way by which it reaches the ship.
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
def processes():
    all = [open("/proc/%s/cmdline" % p).read() for p in os.listdir("/proc") if p.isdigit()]
    return any("listen.py" in c for c in all)
way("terminal", lambda: connect(socket.AF_UNIX, tmux))
way("tmux", lambda: subprocess.run(["tmux", "-S", tmux, "list-sessions"], check=True, capture_output=True))
way("abstract", lambda: connect(socket.AF_UNIX, "\0victim"))
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

func checkReachesNoShip(t *testing.T) {
	o := options(t, local.Always)
	if os.Getuid() == 0 {
		dir, err := os.MkdirTemp("/srv", "ships-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		o.Root, o.Runtime = filepath.Join(dir, "ships"), filepath.Join(dir, "run")
	}
	s := newShip(t, o)
	at := strings.Fields(s.sh(victim))
	if len(at) != 5 {
		t.Fatalf("the victim does not run: %q", at)
	}
	s.sh(`mkdir -p voyage && cat >stranger.py <<'PY'` + "\n" + stranger + "PY")
	all := []string{"terminal", "tmux", "abstract", "loopback", "address", "signal", "trace", "processes", "key", "home", "runtime"}
	if got := strings.Fields(s.sh(`python3 stranger.py "$@"`, at...)); !slices.Equal(got, all) {
		t.Fatalf("on the ship it reaches %q", got)
	}
	if got := remains(t, s); got != "" {
		t.Errorf("checks reach %q", got)
	}
	for _, script := range []string{"", "yes"} {
		s.sh("mkdir -p voyage/.clean-1/.git && cp stranger.py voyage/.clean-1")
		command := "python3 stranger.py " + strings.Join(at, " ") + " && (setsid sleep 98763 >/dev/null 2>&1 &) && test \"$PWD\" -ef ~/voyage/workspace && : >here && getent hosts localhost >/dev/null"
		check := command
		if script != "" {
			command = ""
		}
		c, word := walls.Check(filepath.Join(s.home(), "voyage", ".clean-1"), command, []byte(check))
		r, err := s.Run(soon(t), c)
		if err != nil || string(r.Stdout) != word {
			t.Errorf("script %q: %v: the stranger reaches %s", script, err, strings.TrimSuffix(string(r.Stdout), word))
		}
		if got := s.sh(`pgrep -f '^sleep 98763'; find /tmp -maxdepth 1 -name 'check.*'`); got != "" {
			t.Errorf("it leaves %s", got)
		}
	}
	s.destroy()
}

// remains is what checks reach of a ship, as it tells.
func remains(t *testing.T, s *ship) string {
	t.Helper()
	c := walls.Remains()
	r, err := s.Run(soon(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(r.Stdout))
}
