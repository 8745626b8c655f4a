package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Where things are on a machine; a test has others.
var (
	root        = "/"
	accountHome = func() string {
		u, err := user.LookupId(strconv.Itoa(os.Getuid()))
		if err != nil {
			return ""
		}
		return u.HomeDir
	}
)

// systemd is what looks after services: the machine's, or the user's own.
type systemd struct {
	b    *berth
	own  bool // of the user, who is no root
	dir  string
	user string // as whom services run, for the machine's
}

// systemd finds the one that may look after a service of this ship, and runs when nobody is logged in. A home that is not its account's own
// is a ship in somebody's directory, which leaves no services on his machine.
func (b *berth) systemd(ctx context.Context, asRoot bool) (systemd, bool) {
	if info, err := os.Stat(filepath.Join(root, "run/systemd/system")); err != nil || !info.IsDir() {
		return systemd{}, false
	}
	if _, err := exec.LookPath("systemctl"); err != nil || filepath.Clean(accountHome()) != filepath.Clean(b.home) {
		return systemd{}, false
	}
	if b.sudo(ctx) == nil {
		s := systemd{b: b, dir: filepath.Join(root, "etc/systemd/system")}
		if !asRoot {
			s.user = strconv.Itoa(os.Getuid())
		}
		return s, true
	}
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || asRoot {
		return systemd{}, false
	}
	if _, err := os.Stat(filepath.Join(root, "var/lib/systemd/linger", u.Username)); err != nil {
		return systemd{}, false
	}
	return systemd{b: b, own: true, dir: filepath.Join(b.home, ".config/systemd/user")}, true
}

// unit is what a program is called there. Several accounts may be ships.
func unit(name string) string {
	return "ocaptain-" + name + "-" + strconv.Itoa(os.Getuid()) + ".service"
}

func (s systemd) has(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, unit(name)))
	return err == nil
}

// ctl runs systemctl.
func (s systemd) ctl(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	argv := append([]string{"systemctl"}, args...)
	cmd := s.b.asRoot(ctx, argv...)
	if s.own {
		cmd = command(ctx, []string{"systemctl", "--user"})
		cmd.Args = append(cmd.Args, args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR=/run/user/"+strconv.Itoa(os.Getuid()))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", args[0], err, s.b.scrub(string(out)))
	}
	return nil
}

// start makes a program a service and starts it anew.
func (s systemd) start(ctx context.Context, p program) error {
	text, err := s.text(p)
	if err != nil {
		return err
	}
	if err := s.place(ctx, unit(p.name), text); err != nil {
		return err
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", unit(p.name)}, {"restart", unit(p.name)}} {
		if err := s.ctl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// remove ends a service and forgets it.
func (s systemd) remove(ctx context.Context, name string) error {
	if !s.has(name) {
		return nil
	}
	gone := s.ctl(ctx, "disable", "--now", unit(name))
	_ = s.ctl(ctx, "reset-failed", unit(name)) // systemd remembers one that has failed, and knows no other by now
	file := filepath.Join(s.dir, unit(name))
	if s.own {
		gone = errors.Join(gone, os.Remove(file))
	} else {
		gone = errors.Join(gone, s.b.asRoot(ctx, "rm", "-f", "--", file).Run())
	}
	return errors.Join(gone, s.ctl(ctx, "daemon-reload"))
}

// place writes a unit.
func (s systemd) place(ctx context.Context, name, text string) error {
	file := s.b.path(name)
	defer os.Remove(file)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	if s.own {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return err
		}
		return os.Rename(file, filepath.Join(s.dir, name))
	}
	out, err := s.b.asRoot(ctx, "install", "-m", "0644", "--", file, filepath.Join(s.dir, name)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("write %s: %w: %s", name, err, s.b.scrub(string(out)))
	}
	return nil
}

// text is the unit of a program. What the door's sessions have begun outlives it, as an agent's work must, and
// neither their number nor one of them running out of memory ends it.
func (s systemd) text(p program) (string, error) {
	var w strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	line("[Unit]\nDescription=%s of an ocaptain ship\nAfter=network.target\nStartLimitIntervalSec=0\n\n[Service]", p.name)
	if p.ready {
		line("Type=notify")
	}
	if s.user != "" {
		line("User=%s", s.user)
	}
	line("WorkingDirectory=%s", strings.ReplaceAll(s.b.home, "%", "%%"))
	for _, name := range []string{"PATH", "LANG"} {
		if v, ok := os.LookupEnv(name); ok {
			line("Environment=%s", quoted(name+"="+v, false))
		}
	}
	for i, argv := range [][]string{p.argv, p.after} {
		if len(argv) == 0 {
			continue
		}
		exe, err := filepath.Abs(argv[0])
		if err != nil {
			return "", err
		}
		all := []string{quoted(exe, false)} // systemd expands no variables in it
		for _, a := range argv[1:] {
			all = append(all, quoted(a, true))
		}
		line("%s=%s", []string{"ExecStart", "ExecStopPost"}[i], strings.Join(all, " "))
	}
	line("Restart=always\nRestartSec=2\nKillMode=process\nOOMPolicy=continue\nTasksMax=infinity\n\n[Install]")
	if s.own {
		line("WantedBy=default.target")
	} else {
		line("WantedBy=multi-user.target")
	}
	if strings.ContainsAny(s.b.home+strings.Join(p.argv, "")+strings.Join(p.after, ""), "\n\r\x00") {
		return "", errors.New("a path with a line break in it")
	}
	return w.String(), nil
}

// quoted is a word of a unit as systemd reads it; argument tells that it would expand variables in it.
func quoted(word string, argument bool) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", " ").Replace(word)
	if argument {
		word = strings.ReplaceAll(word, "$", "$$")
	}
	return `"` + word + `"`
}
