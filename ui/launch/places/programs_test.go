package places

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/ui/launch/problem"
)

// A machine that cannot build ocaptain for ships sails only once it has the program of the release.
func TestPrograms(t *testing.T) {
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	hub := fleet.Hub{Cache: t.TempDir(), State: t.TempDir()}
	t.Setenv("PATH", "") // no Go
	err := Programs(hub, other, other)
	var p *problem.Problem
	file := filepath.Join(hub.Cache, "bin", supervise.Version, "ocaptain-linux-"+other)
	if !errors.As(err, &p) || p.Kind != problem.Missing || !strings.HasSuffix(err.Error(), "put that of release "+supervise.Version+" at "+file) {
		t.Fatalf("got %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	// head is the beginning of an ELF file for that machine.
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	head[16], head[18], head[20], head[52] = 2, map[string]byte{"amd64": 62, "arm64": 183}[other], 1, 64
	if err := os.WriteFile(file, head, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Programs(hub, other); err != nil {
		t.Errorf("with that of the release: %v", err)
	}
}
