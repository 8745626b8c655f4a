package hoststest

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walls is the beginning of a command that runs behind walls around the host: it writes nowhere else, and
// sees neither who runs the test nor any process outside. Who logs in has the host's home also by the list of users, which is where
// his commands begin.
func (h *Host) walls() []string {
	h.write("passwd", users(h.t, h.Home))
	argv := []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-ipc"}
	hide := []string{"/tmp", "/var/tmp", "/run", "/home"}
	if home, err := os.UserHomeDir(); err == nil {
		hide = append(hide, home)
	}
	for i, name := range hide {
		if real, err := filepath.EvalSymlinks(name); err == nil && real != "/" && !slices.Contains(hide[:i], real) {
			argv = append(argv, "--tmpfs", real)
		}
	}
	for _, dir := range h.shared {
		argv = append(argv, "--ro-bind", dir, dir)
	}
	if resolv, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		argv = append(argv, "--ro-bind-try", resolv, resolv)
	}
	argv = append(argv, "--dir", "/run/sshd", "--perms", "0700", "--dir", h.runtime, "--bind", h.dir, h.dir, "--ro-bind", filepath.Join(h.dir, "passwd"), "/etc/passwd", "--chdir", h.dir)
	if os.Getuid() == 0 { // which makes sshd do more, and this for it
		argv = append(argv, "--remount-ro", "/proc", "--cap-drop", "ALL")
		for _, c := range []string{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETUID", "SETGID", "SYS_ADMIN", "SYS_CHROOT"} {
			argv = append(argv, "--cap-add", "CAP_"+c)
		}
	}
	return append(argv, "--")
}

// users is this machine's list of users, in which the user that runs the test has another home.
func users(t testing.TB, home string) string {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	for i, line := range lines {
		if fields := strings.Split(line, ":"); fields[0] == me.Username && len(fields) == 7 {
			fields[5] = home
			lines[i] = strings.Join(fields, ":")
		}
	}
	return strings.Join(lines, "")
}
