package voyage

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// disk is a small file system of its own for a directory, where the test may mount one. Elsewhere
// the programs that write there get a limit on files instead, which gives less clear errors.
type disk struct {
	t       *testing.T
	dir     string
	mounted bool
	limited []int
}

func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, dir: dir}
	d.mounted = os.Getuid() == 0 && exec.Command("mount", "-t", "tmpfs", "-o", "size=200m", "none", dir).Run() == nil
	t.Cleanup(func() {
		d.free()
		if d.mounted {
			if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
				t.Errorf("umount: %v %s", err, out)
			}
		}
	})
	return d
}

// filler is what fills a disk.
const filler = ".filler"

// fill leaves no room on the disk, for those processes at least.
func (d *disk) fill(writers ...int) {
	d.t.Helper()
	if !d.mounted {
		d.limited = writers
		d.limit("1:unlimited")
		return
	}
	f, err := os.Create(filepath.Join(d.dir, filler))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	zero, err := os.Open("/dev/zero")
	if err != nil {
		d.t.Fatal(err)
	}
	defer zero.Close()
	if n, err := io.Copy(f, zero); err == nil {
		d.t.Fatalf("%d bytes fit", n)
	}
	for { // the last bytes, too
		if _, err := f.Write([]byte{0}); err != nil {
			return
		}
	}
}

// free makes room again.
func (d *disk) free() {
	if d.mounted {
		_ = os.Remove(filepath.Join(d.dir, filler))
		return
	}
	d.limit("unlimited:unlimited")
	d.limited = nil
}

func (d *disk) limit(to string) {
	for _, pid := range d.limited {
		_ = exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--fsize="+to).Run() // it may have ended
	}
}
