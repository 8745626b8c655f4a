package program

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// other is an architecture that this machine does not have.
var other = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]

func TestFor(t *testing.T) {
	cache := t.TempDir()
	s := &Source{Own: "/own", Digest: "d", Version: "v1", Cache: cache}
	if path, digest, err := s.ProgramFor(t.Context(), runtime.GOOS, runtime.GOARCH); path != "/own" || digest != "d" || err != nil {
		t.Errorf("own: %s %s %v", path, digest, err)
	}
	t.Setenv("PATH", "") // without Go, nothing can be built
	released := filepath.Join(cache, "bin", "v1", "ocaptain-linux-riscv64")
	if err := os.MkdirAll(filepath.Dir(released), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(released, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, digest, err := s.ProgramFor(t.Context(), "linux", "riscv64")
	if path != released || len(digest) != 16 || err != nil {
		t.Errorf("released: %s %s %v", path, digest, err)
	}
	if from, err := s.SourceFor("linux", "riscv64"); from != released || err != nil {
		t.Errorf("ready: %s, %v", from, err)
	}
	if _, _, err := s.ProgramFor(t.Context(), "linux", "ppc64le"); err == nil || !strings.Contains(err.Error(), "put that of release v1 at "+cache) {
		t.Errorf("nowhere: %v", err)
	}
	if _, err := s.SourceFor("linux", "ppc64le"); err == nil || !strings.Contains(err.Error(), "Go is not here to build it; put that of release v1 at "+cache) {
		t.Errorf("nowhere: %v", err)
	}
	// If a file is for the wrong kind of machine, the error names it.
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(cache, "bin", "v1", "ocaptain-linux-"+other)
	if err := os.Symlink(own, wrong); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ProgramFor(t.Context(), "linux", other); err == nil || !strings.Contains(err.Error(), wrong+" is no program for linux on "+other) {
		t.Errorf("for another machine: %v", err)
	}
}

// TestBuild has Go build this program for builtFor, and replace what an earlier build left.
func TestBuild(t *testing.T) {
	s := &Source{Own: "/own", Digest: "d", Version: "dev", Cache: t.TempDir()}
	stale := s.builtFile("linux", builtFor)
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, []byte("old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if from, err := s.SourceFor("linux", other); !strings.HasPrefix(from, "built from ") || err != nil {
		t.Errorf("ready: %s, %v", from, err)
	}
	path, err := s.makeProgram(t.Context(), "linux", builtFor)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Machine != machines[builtFor] {
		t.Errorf("built for %s", f.Machine)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".build-*")); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}
