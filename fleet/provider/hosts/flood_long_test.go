//go:build long

package hosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A host whose program prints without end does not fill the memory, and the call ends.
func TestHostWithoutEnd(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", nil)
	p.create("ship-0")
	programs, err := filepath.Glob(filepath.Join(quay.Ships(), ".bin", "ocaptain-*"))
	if err != nil || len(programs) != 1 {
		t.Fatalf("%v, %v", programs, err)
	}
	real, flood := programs[0], filepath.Join(t.TempDir(), "flood")
	if err := os.WriteFile(flood, []byte("#!/bin/sh\nexec yes\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	aside := real + ".aside"
	if err := os.Rename(real, aside); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Rename(aside, real); err != nil {
			t.Error(err)
		}
	}()
	if err := os.Rename(flood, real); err != nil {
		t.Fatal(err)
	}
	_, err = p.provider().Get(soon(t), "ship-0")
	if err == nil || !strings.Contains(err.Error(), "answers without end") {
		t.Errorf("got %v", err)
	}
}
