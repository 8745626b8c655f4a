package hoststest

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walls returns the beginning of a command that runs a host in bubblewrap: it can write nowhere else, and sees neither the user of
// the test nor any process outside. Logins get the host's home from the list of users too, as their commands begin there.
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
	if os.Getuid() == 0 { // for root, sshd does more and needs these
		argv = append(argv, "--remount-ro", "/proc", "--cap-drop", "ALL")
		for _, c := range []string{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETUID", "SETGID", "SYS_ADMIN", "SYS_CHROOT"} {
			argv = append(argv, "--cap-add", "CAP_"+c)
		}
	}
	return append(argv, "--")
}

// users writes a copy of this machine's list of users in which the user of the test has another home, and returns its
// path.
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
