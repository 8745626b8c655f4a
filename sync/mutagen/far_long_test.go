//go:build long

package mutagen

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
)

// far returns the spec of local with its second side on a host whose home directory is home.
func far(t *testing.T, h *Home, home string, limits ...string) Spec {
	t.Helper()
	spec := local(t)
	spec.B = Endpoint{Host: sshd(t, h, "ship-0.voyage-1", home, limits...).Name, Path: filepath.Join(home, "work")}
	return spec
}

// unprivileged returns the beginning of a command line that drops root's rights, if the test runs as root.
func unprivileged(t *testing.T, home string) string {
	t.Helper()
	if os.Getuid() != 0 {
		return ""
	}
	if err := os.Chown(home, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	return "setpriv --reuid=65534 --regid=65534 --clear-groups"
}

// TestNoRights: files that cannot be read or written on the host are reported as problems, stop no other file, and
// travel once they can.
func TestNoRights(t *testing.T) {
	h := open(t)
	home := short(t)
	spec := far(t, h, home, unprivileged(t, home))
	put(t, spec.A.Path, map[string]string{"shut/x": "1", "open/x": "1", "unread": "1"})
	p := h.pair(t, spec)
	shut, unread := filepath.Join(spec.B.Path, "shut"), filepath.Join(spec.B.Path, "unread")
	if err := errors.Join(os.Chmod(shut, 0o555), os.WriteFile(unread, []byte("mine"), 0o644), os.Chmod(unread, 0)); err != nil {
		t.Fatal(err)
	}
	put(t, spec.A.Path, map[string]string{"shut/x": "2", "open/x": "2"})
	p.flush()
	has(t, spec.B.Path, map[string]string{"shut/x": "1", "open/x": "2"})
	var paths []string
	problems, _ := p.state().Problems()
	for _, problem := range problems {
		paths = append(paths, problem.Path)
	}
	if got := strings.Join(paths, " "); !strings.Contains(got, "unread") || !strings.Contains(got, "shut") {
		t.Errorf("%+v", problems)
	}
	if err := errors.Join(os.Chmod(shut, 0o755), os.Chmod(unread, 0o644)); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"shut/x": "2"})
	has(t, spec.A.Path, map[string]string{"unread": "mine"})
	if problems, _ := p.state().Problems(); len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
}

// TestFullDisk: a full disk on the host is reported, its files stay whole, and the rest travels once there is room.
func TestFullDisk(t *testing.T) {
	h := open(t)
	home := short(t)
	limit := "ulimit -f 2048 &&" // maximum file size, in blocks of 512 or 1024 bytes
	if os.Getuid() == 0 {
		limit = ""
		if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=32m", "none", home).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", home).Run() })
	}
	spec := far(t, h, home, limit)
	put(t, spec.A.Path, map[string]string{"small": "1"})
	p := h.pair(t, spec)
	large := make([]byte, 40<<20)
	_, _ = rand.Read(large) // never fails
	put(t, spec.A.Path, map[string]string{"large": string(large), "small": "2"})
	err := h.Flush(eventually.Context(t), p.id)
	problems, _ := p.state().Problems()
	if err == nil && len(problems) == 0 {
		t.Errorf("nothing is told: %+v", p.state())
	}
	t.Logf("%v %+v %s", err, problems, p.state().Error)
	has(t, spec.A.Path, map[string]string{"large": string(large), "small": "2"})
	if raw, err := os.ReadFile(filepath.Join(spec.B.Path, "large")); err == nil && !bytes.Equal(raw, large) {
		t.Errorf("there is a part of it, %d bytes", len(raw))
	}
	put(t, spec.A.Path, map[string]string{"large": "not any more"})
	p.flush()
	eventually.Holds(t, "all has come", func() bool { return fmt.Sprint(texts(t, spec.A.Path)) == fmt.Sprint(texts(t, spec.B.Path)) })
}

// TestCutOff: a large file arrives whole although its transfer is cut again and again, and is never there in part.
func TestCutOff(t *testing.T) {
	h := open(t)
	home := short(t)
	spec := far(t, h, home)
	p := h.pair(t, spec)
	large := make([]byte, 48<<20)
	_, _ = rand.Read(large)
	put(t, spec.A.Path, map[string]string{"large": string(large)})
	for i := range 4 {
		staged := func() bool {
			s := p.state()
			return strings.HasPrefix(s.Status, "staging") || s.Status == "transitioning"
		}
		eventually.Holds(t, "it is on its way", func() bool { return staged() || i > 0 })
		for _, pid := range processes(t, "HOME="+home) { // none while no connection is up
			kill(t, pid, syscall.SIGKILL)
		}
		if raw, err := os.ReadFile(filepath.Join(spec.B.Path, "large")); err == nil && !bytes.Equal(raw, large) {
			t.Fatalf("there is a part of it, %d bytes", len(raw))
		}
		if err := h.Resume(t.Context(), p.id); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "it connects again", func() bool { return p.state().Connected() })
	}
	p.flush()
	if raw, err := os.ReadFile(filepath.Join(spec.B.Path, "large")); err != nil || !bytes.Equal(raw, large) {
		t.Errorf("%d bytes of it have come: %v", len(raw), err)
	}
}
