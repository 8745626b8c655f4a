package provision

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tools"
)

// bare is a machine with few programs, on which an apt-get can install more.
type bare struct {
	*testing.T
	bin, state string
}

// newBare makes a machine with all programs except those in lacks.
func newBare(t *testing.T, lacks ...string) *bare {
	t.Helper()
	m := &bare{t, t.TempDir(), t.TempDir()}
	for _, p := range []string{"sh", "id", "env", "mktemp", "rm", "grep", "tail", "head", "cut", "date", "sleep", "ln", "cat", "touch", "printf", "true", "git", "tmux", "bash", "curl"} {
		m.link(p)
	}
	for _, p := range lacks {
		if err := os.Remove(filepath.Join(m.bin, p)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// link links a program of this machine into the bare machine.
func (m *bare) link(program string) {
	m.Helper()
	real, err := exec.LookPath(program)
	if err == nil {
		err = os.Symlink(real, filepath.Join(m.bin, program))
	}
	if err != nil {
		m.Fatal(err)
	}
}

// add writes a program to the bare machine, in place of the link, and leaves this machine's program alone.
func (m *bare) add(name, script string) {
	m.Helper()
	if err := os.Remove(filepath.Join(m.bin, name)); err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.bin, name), []byte("#!/bin/sh\nSTATE="+m.state+" BIN="+m.bin+"\n"+script), 0o755); err != nil {
		m.Fatal(err)
	}
}

// aptGet is a script that installs what it is told to, and records its arguments.
const aptGet = `echo "$DEBIAN_FRONTEND $*" >>"$STATE/calls"
for p; do :; done
case " $* " in
*" update "*) echo "Reading package lists..." ;;
*" install "*)
	seen=
	for p; do
		case $p in install) seen=yes ;; -*) ;; *) [ -z "$seen" ] || ln -sf /bin/true "$BIN/$p" ;; esac
	done
	echo "Setting up things" ;;
esac
`

func (m *bare) tools(useful ...string) (string, int) {
	m.Helper()
	argv := toolsCommand(2*time.Second, false, useful...)
	cmd := exec.CommandContext(m.Context(), argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + m.bin}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		m.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (m *bare) calls() string {
	raw, _ := os.ReadFile(filepath.Join(m.state, "calls"))
	return string(raw)
}

func (m *bare) want(code int, text string, useful ...string) {
	m.Helper()
	if out, got := m.tools(useful...); got != code || !strings.Contains(out, text) {
		m.Errorf("status %d, want %d with %q: %s\ncalls: %s", got, code, text, out, m.calls())
	}
}

const asUser = "[ \"$1\" = -u ] && echo 1000 || echo sailor\n"

func TestTools(t *testing.T) {
	t.Run("all is there", func(t *testing.T) {
		m := newBare(t)
		m.add("apt-get", aptGet)
		if m.want(0, ""); m.calls() != "" {
			t.Errorf("called %s", m.calls())
		}
	})
	t.Run("root", func(t *testing.T) {
		m := newBare(t, "git", "tmux")
		m.add("apt-get", aptGet)
		m.add("id", "echo 0\n")
		m.want(0, "Setting up")
		if c := m.calls(); !strings.Contains(c, "install -y git tmux") || !strings.Contains(c, "DPkg::Lock::Timeout=2") || !strings.HasPrefix(c, "noninteractive ") {
			t.Errorf("called %s", c)
		}
	})
	t.Run("a user with sudo", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("apt-get", aptGet)
		m.add("id", asUser)
		m.add("sudo", `[ "$1" = -n ] || exit 9; shift; exec env -i PATH="$PATH" "$@"`)
		if m.want(0, ""); !strings.HasPrefix(m.calls(), "noninteractive ") {
			t.Errorf("called %s", m.calls())
		}
	})
	t.Run("sudo asks", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("id", asUser)
		m.add("sudo", "echo 'sudo: a password is required' >&2; exit 1\n")
		m.want(1, "install these programs on the ship: tmux (its user is not root, and sudo asks for a password)")
	})
	t.Run("no sudo", func(t *testing.T) {
		m := newBare(t, "tmux", "git")
		m.add("id", asUser)
		m.want(1, "install these programs on the ship: git tmux (its user is not root, and there is no sudo)")
	})
	t.Run("no apt", func(t *testing.T) {
		m := newBare(t, "git", "tmux", "bash")
		m.add("id", "echo 0\n")
		m.want(1, "install these programs on the ship: git tmux bash (there is no apt-get")
	})
	t.Run("no such package", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("id", "echo 0\n")
		m.add("apt-get", "echo 'E: Unable to locate package tmux' >&2; exit 100\n")
		m.want(1, "tmux (apt-get could not: E: Unable to locate package tmux)")
	})
	t.Run("no network", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("id", "echo 0\n")
		m.add("apt-get", "echo \"E: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'\" >&2; exit 100\n")
		m.want(Later, "tmux (its packages cannot be fetched now)")
	})
	t.Run("useful and not to be had", func(t *testing.T) {
		m := newBare(t, "curl", "tmux")
		m.add("id", "echo 0\n")
		m.add("apt-get", "case \"$*\" in *curl*) echo 'E: Unable to locate package curl'; exit 100 ;; esac\n"+aptGet)
		m.want(0, "", "curl")
	})
	t.Run("interrupted before", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("id", "echo 0\n")
		m.add("dpkg", "touch \"$STATE/repaired\"\n")
		m.add("apt-get", "[ -e \"$STATE/repaired\" ] || { echo \"E: dpkg was interrupted, you must manually run 'dpkg --configure -a'\"; exit 100; }\n"+aptGet)
		m.want(0, "Setting up")
	})
	t.Run("too old, and there is a newer one", func(t *testing.T) {
		m := newBare(t)
		m.add("id", "echo 0\n")
		m.add("tmux", "echo tmux 3.0a\n")
		m.add("apt-get", aptGet)
		if m.want(0, "Setting up"); !strings.Contains(m.calls(), "install -y tmux\n") {
			t.Errorf("called %s", m.calls())
		}
	})
	t.Run("too old, and there is no newer one", func(t *testing.T) {
		m := newBare(t)
		m.add("id", "echo 0\n")
		m.add("tmux", "echo tmux 3.0a\n")
		m.add("apt-get", "echo 'tmux is already the newest version (3.0a-2ubuntu0.4).'\n")
		m.want(1, "install these programs on the ship: tmux (tmux 3.0 is too old there, 3.2 is needed) (its distribution has no other: take an image with a newer one)")
	})
	t.Run("too old, and nobody may install", func(t *testing.T) {
		m := newBare(t)
		m.add("id", asUser)
		m.add("tmux", "echo tmux 2.9\n")
		m.add("git", "echo git version 2.34.1\n")
		m.want(1, "install these programs on the ship: git tmux (git 2.34 is too old there, 2.38 is needed) (tmux 2.9 is too old there, 3.2 is needed) (its user is not root, and there is no sudo)")
	})
	t.Run("it does not run", func(t *testing.T) {
		m := newBare(t)
		m.add("id", asUser)
		m.add("tmux", "exit 127\n")
		m.want(1, "install these programs on the ship: tmux (its user is not root")
	})
	t.Run("only a look", func(t *testing.T) {
		m := newBare(t, "tmux")
		m.add("apt-get", aptGet)
		argv := toolsCommand(0, true)
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Env = []string{"PATH=" + m.bin}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "install these programs on the ship: tmux") || m.calls() != "" {
			t.Errorf("%v: %s; called %s", err, out, m.calls())
		}
	})
}

// While a fresh machine updates itself, it holds apt's lock: the step waits for that, until its time is over.
func TestToolsWaitForTheLock(t *testing.T) {
	const locked = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"
	m := newBare(t, "tmux")
	m.add("id", "echo 0\n")
	m.add("apt-get", "echo . >>\"$STATE/tries\"; [ \"$(grep -c . \"$STATE/tries\")\" -gt 2 ] || { echo '"+locked+"'; exit 100; }\n"+aptGet)
	m.want(0, "Setting up")
	m = newBare(t, "tmux")
	m.add("id", "echo 0\n")
	m.add("apt-get", "echo '"+locked+"'; exit 100\n")
	m.want(Later, "tmux (something else installs there, and does not end)")
}

// The versions on this machine and on ships are judged in the same way.
func TestToolsVersions(t *testing.T) {
	for line, good := range map[string]bool{
		"tmux 3.2": true, "tmux 3.2a": true, "tmux 3.10": true, "tmux 4": true, "tmux next-3.5": true, "tmux master": true, "tmux openbsd-7.4": true,
		"tmux 3.1c": false, "tmux 3": false, "tmux 2.9": false, "tmux 3-5": false,
	} {
		m := newBare(t)
		m.add("id", asUser)
		m.add("tmux", "echo '"+line+"'\n")
		if out, code := m.tools(); (code == 0) != good || (tools.Tmux.Accept(line) == nil) != good {
			t.Errorf("%s: status %d, %s; here %v", line, code, out, tools.Tmux.Accept(line))
		}
	}
}
