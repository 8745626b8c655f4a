package join_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests cannot boot a machine, so a stand-in for systemctl does what ships need of it: it enables, runs and restarts the
// services of a directory. That the units are what systemd reads is told by systemd itself (see verify).
//
// standIn is such a machine, in a directory. Its programs are first in PATH, so the real ones are never called.
func standIn(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"run/systemd/system", "etc/systemd/system", "var/lib/systemd/linger", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"systemctl": "#!/bin/sh\nexec '" + exe + "' systemctl '" + dir + "' \"$@\"\n",
		"sudo":      "#!/bin/sh\n[ \"$1 $2\" = '-n --' ] || exit 1\nshift 2\nexec \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	return dir
}

// unitsOf and userUnits are where units lie: the machine's, and the user's own.
func unitsOf(dir string) string { return filepath.Join(dir, "etc/systemd/system") }

func userUnits() string { return filepath.Join(os.Getenv("HOME"), ".config/systemd/user") }

// systemctl is that stand-in.
func systemctl(dir string, args []string) error {
	units := unitsOf(dir)
	if args[0] == "--user" {
		units, args = userUnits(), args[1:]
	}
	enabled := func(unit string) string { return filepath.Join(units, "wants", unit) }
	switch command := strings.Join(args[:len(args)-1], " "); command {
	case "": // daemon-reload
		return nil
	case "enable":
		if err := os.MkdirAll(filepath.Join(units, "wants"), 0o755); err != nil {
			return err
		}
		_ = os.Remove(enabled(args[1]))
		return os.Symlink(filepath.Join(units, args[1]), enabled(args[1]))
	case "disable --now":
		return stopUnit(dir, enabled(args[2]))
	case "restart":
		_ = stopUnit(dir, enabled(args[1]))
		_ = os.Symlink(filepath.Join(units, args[1]), enabled(args[1]))
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(exe, "supervise", dir, enabled(args[1]))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, args[1]+".ready")); err == nil {
				return nil
			}
		}
		return fmt.Errorf("%s is not ready", args[1])
	default:
		return fmt.Errorf("not a command that the stand-in knows: %q", args)
	}
}

// stopUnit ends a service and forgets that it is enabled.
func stopUnit(dir, enabled string) error {
	_ = os.Remove(enabled)
	unit := filepath.Base(enabled)
	_ = os.Remove(filepath.Join(dir, unit+".ready"))
	var pid int
	if raw, err := os.ReadFile(filepath.Join(dir, unit+".pid")); err == nil {
		if _, err := fmt.Sscan(string(raw), &pid); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGTERM)
			for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
	return nil
}

// supervise runs a service again and again, until it is not enabled any more.
func supervise(dir, enabled string) error {
	unit := filepath.Base(enabled)
	for {
		raw, err := os.ReadFile(enabled)
		if err != nil {
			return nil //nolint:nilerr // it was disabled
		}
		cmd, notify := exec.Command("true"), false
		env := []string{}
		for line := range strings.SplitSeq(string(raw), "\n") {
			key, value, _ := strings.Cut(line, "=")
			switch key {
			case "Type":
				notify = value == "notify"
			case "Environment":
				env = append(env, unquote(value)...)
			case "ExecStart":
				argv := unquote(value)
				cmd = exec.Command(argv[0], argv[1:]...)
			}
		}
		cmd.Env = append(os.Environ(), env...)
		ready := filepath.Join(dir, unit+".ready")
		if err := runOnce(cmd, notify, ready, filepath.Join(dir, unit+".pid")); err != nil {
			return err
		}
		_ = os.Remove(ready)
	}
}

// runOnce runs a service until it ends, and marks it as ready when it says so, or has begun.
func runOnce(cmd *exec.Cmd, notify bool, ready, pid string) error {
	mark := func() { _ = os.WriteFile(ready, nil, 0o600) }
	if notify {
		name := filepath.Join(filepath.Dir(ready), fmt.Sprintf("notify-%d", os.Getpid()))
		_ = os.Remove(name)
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			return err
		}
		defer os.Remove(name)
		defer l.Close()
		cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+name)
		go func() {
			for b := make([]byte, 4096); ; {
				n, err := l.Read(b)
				if err != nil {
					return
				}
				if strings.Contains(string(b[:n]), "READY=1") {
					mark()
				}
			}
		}()
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(pid, fmt.Append(nil, cmd.Process.Pid), 0o600); err != nil {
		return err
	}
	if !notify {
		mark()
	}
	_ = cmd.Wait() // Restart=always
	return nil
}

// unquote takes quoted words of a unit apart.
func unquote(text string) []string {
	var all []string
	for word := range strings.SplitSeq(strings.Trim(text, `"`), `" "`) {
		all = append(all, strings.NewReplacer(`\\`, `\`, `\"`, `"`, "%%", "%", "$$", "$").Replace(word))
	}
	return all
}
