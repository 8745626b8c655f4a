package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
)

// captainsHome makes a home directory for the captain that contains a secret and a tool. It is not below /tmp, which
// a sandboxed ship does not see anyway.
func captainsHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("/var/tmp", "captain-")
	if os.Getuid() == 0 {
		os.RemoveAll(home)
		home, err = os.MkdirTemp("/srv", "captain-")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	t.Setenv("HOME", home)
	t.Setenv("CAPTAINS_TOKEN", "s3cret")
	writeFile(t, filepath.Join(home, ".config", "secret"), "s3cret", 0o644)
	writeFile(t, filepath.Join(home, "bin", "tool"), "#!/bin/sh\necho the tool works\n", 0o755)
	t.Setenv("PATH", filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
	return home
}

func TestConfined(t *testing.T) {
	home := captainsHome(t)
	o := options(t, local.Always)
	o.ReadOnly = []string{filepath.Join(home, "bin")}
	o.Env = map[string]string{"EXTRA": "given"}
	other := newProvider(t, o)
	spec, _ := newSpec(t, "ship-1")
	if _, err := other.Create(soon(t), spec); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Destroy(soon(t), "ship-1") }()
	writeFile(t, filepath.Join(o.Root, "ship-1", "home", "secret"), "s3cret", 0o644)
	s := newShip(t, o)
	if s.machine.Note != "" {
		t.Errorf("noted: %s", s.machine.Note)
	}

	for what, script := range map[string]string{
		"read the captain's home":     `cat ` + home + `/.config/secret`,
		"list the captain's home":     `ls -A ` + home + ` | grep -v '^bin$'`,
		"read another ship":           `cat ` + o.Root + `/ship-1/home/secret`,
		"list other ships":            `ls ` + o.Root + ` | grep -v '^ship-0$'`,
		"read its own record":         `cat ` + o.Root + `/ship-0/machine.json`,
		"see a socket in /run":        `find /run -type s`,
		"see the captain's variables": `env | grep TOKEN; tr '\0' '\n' </proc/1/environ | grep TOKEN`,
		"see processes outside":       `ls /proc | grep -x ` + strconv.Itoa(os.Getpid()),
	} {
		if got := s.sh(`{ ` + script + `; } 2>&1 | grep -vE 'No such file|Permission denied'`); got != "" {
			t.Errorf("it can %s: %q", what, got)
		}
	}
	for _, dir := range []string{"/etc", "/usr/bin", "/opt", "/var", "/sys", "/proc/sys/kernel", home + "/bin", filepath.Dir(o.Root)} {
		if got := s.sh(`touch "$1/ocaptain-was-here" && echo done`, dir); strings.Contains(got, "done") {
			if _, err := os.Lstat(filepath.Join(dir, "ocaptain-was-here")); err == nil {
				os.Remove(filepath.Join(dir, "ocaptain-was-here"))
				t.Errorf("it can write to %s", dir)
			}
		}
	}
	for _, file := range []string{home + "/.config/secret", home + "/new", home + "/bin/tool", o.Root + "/new", "/run/new"} {
		got := s.sh(`(echo x >"$1") 2>/dev/null && echo done`, file)
		if got == "done" && !strings.HasPrefix(file, "/tmp/") { // the ship's own /tmp may have a file of this name
			t.Errorf("it wrote %s", file)
		}
		if b, _ := os.ReadFile(file); string(b) == "x\n" {
			t.Errorf("it wrote %s outside", file)
		}
	}
	if b, _ := os.ReadFile(home + "/.config/secret"); string(b) != "s3cret" {
		t.Errorf("the captain's file has %q", b)
	}
	if got := s.sh(`grep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status | grep -v '\s0*$'; id -u | grep -x 0; mount -t tmpfs none /tmp 2>/dev/null && echo mounted; (: >>/proc/sys/kernel/core_pattern) 2>/dev/null && echo wrote`); strings.Contains(got, "Cap") || strings.Contains(got, "\n0") || strings.Contains(got, "mounted\n") || strings.Contains(got, "wrote") {
		t.Errorf("it has powers: %s", got)
	}

	// The ship has what it needs.
	if got := s.sh(`cd && pwd`); got != s.home() {
		t.Errorf("its home is %q", got)
	}
	if got := s.sh(`echo ok >~/file && cat ~/file && echo ok >/tmp/file && cat /tmp/file && echo ok >/dev/null && ls -d "$TMUX_TMPDIR" && touch "$TMUX_TMPDIR/x"`); got != "ok\nok\n"+filepath.Join(o.Runtime, s.machine.ID) {
		t.Errorf("its own places: %q", got)
	}
	if got := s.sh(`tool`); got != "the tool works" {
		t.Errorf("the tool that it may read: %q", got)
	}
	if got := s.sh(`echo "$EXTRA"`); got != "given" {
		t.Errorf("its extra variable: %q", got)
	}
	if got := s.sh(`cat /etc/resolv.conf >/dev/null && echo ok`); got != "ok" {
		t.Errorf("resolv.conf: %q", got)
	}
	if _, err := os.Lstat("/tmp/file"); err == nil {
		t.Error("its /tmp is everybody's")
	}
	s.destroy()
}

func TestEnvironmentIsTheShipsOwn(t *testing.T) {
	captainsHome(t)
	for name, confine := range map[string]local.Confine{"confined": local.Always, "unconfined": local.Never} {
		t.Run(name, func(t *testing.T) {
			s := newShip(t, options(t, confine))
			var names []string
			for line := range strings.Lines(s.sh("env | sort")) {
				name, _, _ := strings.Cut(line, "=")
				names = append(names, name)
			}
			if got, want := strings.Join(names, " "), "HOME LANG LOGNAME PATH PWD SHELL TERM TMUX_TMPDIR USER XDG_RUNTIME_DIR"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if got := s.sh("echo $HOME $LANG $USER; ls -l /proc/self/fd | grep -c socket"); got != s.home()+" C.UTF-8 "+s.machine.User+"\n0" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestWhyNotConfined(t *testing.T) {
	path := os.Getenv("PATH")
	broken := t.TempDir()
	writeFile(t, filepath.Join(broken, "bwrap"), "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n", 0o755)
	for name, c := range map[string]struct{ path, want string }{
		"not installed": {"/nowhere", "bubblewrap is not installed"},
		"forbidden":     {broken + ":" + path, "setting up uid map: Permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, local.IfPossible)
			confined := newShip(t, o)
			if confined.machine.Note != "" {
				t.Fatalf("noted: %s", confined.machine.Note)
			}
			t.Setenv("PATH", c.path)

			if err := newProvider(t, o).Confinement(soon(t)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("asked before: %v", err)
			}
			s := newShip(t, options(t, local.IfPossible))
			if want := "not confined: "; !strings.HasPrefix(s.machine.Note, want) || !strings.Contains(s.machine.Note, c.want) {
				t.Errorf("noted: %q", s.machine.Note)
			}
			always := newProvider(t, options(t, local.Always))
			spec, _ := newSpec(t, "ship-0")
			if _, err := always.Create(soon(t), spec); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("confined always: %v", err)
			}
			if err := always.Destroy(soon(t), "ship-0"); err != nil {
				t.Error(err)
			}

			// A ship that was sandboxed never comes back with more rights.
			killServer(t, o, confined.machine)
			if m, err := confined.provider.Ensure(soon(t), "ship-0"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("ensured: %+v, %v", m, err)
			}
			if m, err := confined.provider.Get(soon(t), "ship-0"); err != nil || m.State != provider.Stopped {
				t.Errorf("got %+v, %v", m, err)
			}
		})
	}
}

func TestConfinementWorksHere(t *testing.T) {
	if err := newProvider(t, options(t, local.IfPossible)).Confinement(soon(t)); err != nil {
		t.Error(err)
	}
	if err := newProvider(t, options(t, local.Never)).Confinement(soon(t)); err == nil {
		t.Error("confined although it is switched off")
	}
}

// With Walled, a ship is not made without a sandbox.
func TestWalledOrNotAtAll(t *testing.T) {
	o := options(t, local.IfPossible)
	t.Setenv("PATH", t.TempDir())
	p := newProvider(t, o)
	spec, _ := newSpec(t, "ship-0")
	spec.Walled = true
	if _, err := p.Create(soon(t), spec); err == nil || !strings.Contains(err.Error(), "cannot confine it") {
		t.Errorf("got %v", err)
	}
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
}
