package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
)

// Files that git ignores are counted when the captain asks what is lost, copied when he wants that, and named when they are destroyed.
func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	_, s, tree := restingShip(t)
	v := s.v
	if err := os.MkdirAll(filepath.Join(tree, ".git", "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, tree, ".git/info/exclude", "*.bin\n")
	writeFile(t, tree, "out.bin", "build")
	want := proto.Ignored{Files: 1, Bytes: 5, Largest: "out.bin", LargestBytes: 5}
	v.Requests.BringHome(t.Context(), nil)
	if got := v.Board().Ships[0].Ignored; got != want {
		t.Errorf("there are %+v", got)
	}
	for _, dir := range []string{"ship-0", "ship-0-2"} {
		k, err := s.KeepIgnored(t.Context())
		if err != nil || k.Kept != want || k.Dir != filepath.Join(v.Dir.Artifacts(), dir) {
			t.Fatalf("kept %+v: %v", k, err)
		}
		if raw, err := os.ReadFile(filepath.Join(k.Dir, "out.bin")); string(raw) != "build" {
			t.Errorf("the copy is %q: %v", raw, err)
		}
	}
	v.Requests.BringHome(t.Context(), nil)
	if text := s.Ignores.Lost(); text != "" {
		t.Errorf("told of files that are kept: %s", text)
	}
	writeFile(t, tree, "late.bin", "later")
	var told []string
	if err := v.Fit.Sink(context.Background(), func(p api.Progress) { told = append(told, p.Text) }); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, "destroyed with its machine: 2 files that git ignores, 10 B") {
		t.Errorf("told: %s", all)
	}
}
