package mutagen

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const mountsVar = "OCAPTAIN_TEST_MOUNTS"

// TestMounts: files of another file system mounted inside the tree do not travel and are reported as a problem, and
// so is a device. A directory on the other side in place of the device is a conflict. All other files travel.
func TestMounts(t *testing.T) {
	if os.Getenv(mountsVar) == "" {
		cmd := exec.CommandContext(t.Context(), "unshare", "--map-root-user", "--mount", os.Args[0], "-test.run=^TestMounts$", "-test.v")
		cmd.Env = append(os.Environ(), mountsVar+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "1", "device": "", "other": "", "disk/under": "hidden"})
	mount(t, filepath.Join(spec.A.Path, "disk"), "-t", "tmpfs", "tmpfs")
	mount(t, filepath.Join(spec.A.Path, "device"), "--bind", "/dev/null")
	mount(t, filepath.Join(spec.A.Path, "other"), "--bind", "/dev/null")
	put(t, spec.A.Path, map[string]string{"disk/y": "2"})
	put(t, spec.B.Path, map[string]string{"disk/z": "3", "other/z": "4"})
	p := h.pair(t, spec)
	put(t, spec.B.Path, map[string]string{"x": "5"})
	p.flush()
	has(t, spec.A.Path, map[string]string{"x": "5", "disk/y": "2", "disk/z": ""})
	has(t, spec.B.Path, map[string]string{"disk/y": "", "disk/z": "3", "other/z": "4", "device": ""})
	problems, _ := p.state().Problems()
	if len(problems) != 1 || problems[0].Path != "disk" {
		t.Errorf("problems: %+v", problems)
	}
	if s := p.state(); s.CountConflicts() != 1 || s.Conflicts[0].Root != "other" {
		t.Errorf("conflicts: %+v", s.Conflicts)
	}
}

// mount runs mount for a path and unmounts it when the test ends.
func mount(t *testing.T, at string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mount", append(args, at)...).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
