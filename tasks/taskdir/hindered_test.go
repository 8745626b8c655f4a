package taskdir

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
)

// TestHindered tells errors of the disk from errors of a file.
func TestHindered(t *testing.T) {
	v, err := OpenView(t.TempDir(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, of := range ofDisk {
		v.trouble("1.json", &fs.PathError{Op: "write", Path: "/somewhere/.temporary", Err: of})
		why, since := v.Hindered()
		if len(v.Problems()) > 0 || why != `"1.json": `+of.Error() || since.IsZero() {
			t.Errorf("%v: hindered %q since %v, problems %q", of, why, since, v.Problems())
		}
	}
	v.trouble("2.json", os.NewSyscallError("mkdir", syscall.ENOSPC))
	if why, _ := v.Hindered(); !strings.HasSuffix(why, ", and 1 more") {
		t.Errorf("two: %q", why)
	}
	v.trouble("2.json", errors.New("not a task"))
	v.trouble("1.json", nil)
	if why, _ := v.Hindered(); why != "" || len(v.Problems()) != 1 {
		t.Errorf("hindered %q, problems %q", why, v.Problems())
	}
}

// TestUnreadable looks again at a task file that the machine cannot read, and neither moves it aside nor
// writes it.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	var told []Tamper
	v, err := OpenView(dir, func(all []Tamper) { told = append(told, all...) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	v.Set(nil)
	if err := v.Flush(eventually.Context(t)); err != nil {
		t.Fatal(err)
	}
	v.postpone("7", &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE})
	eventually.Holds(t, "it is looked at again", func() bool { why, _ := v.Hindered(); return why == "" })
	if err := v.Close(); err != nil || len(told) > 0 {
		t.Errorf("others did %+v; %v", told, err)
	}
}
