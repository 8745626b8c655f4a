package kind

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
)

func TestDiscoveryFiles(t *testing.T) {
	r := tasks.Review{By: "validator-0", At: time.Date(2026, 11, 25, 23, 59, 0, 0, time.FixedZone("", -3600)), Discoveries: []tasks.Discovery{
		{Type: "pattern", Content: "Auth uses Bearer tokens!\nThey last 15 min.\n", Files: []string{"src/auth.ts", "a: \"b\"\n- c"}},
		{Type: "gotcha", Content: "日本"},
		{Type: "gotcha", Content: "../../.git/hooks/" + strings.Repeat("x", 500)},
	}}
	files := DiscoveryFiles("3-2", "worker-1", r)
	want := `---
type: pattern
task: "3-2"
files:
  - "src/auth.ts"
  - "a: \"b\" - c"
author: worker-1
reviewer: validator-0
created: 2026-11-26
---

Auth uses Bearer tokens!
They last 15 min.
`
	if is := string(files["docs/discoveries/2026-11/3-2.1-auth-uses-bearer-tokens.md"]); is != want {
		t.Errorf("got\n%s", is)
	}
	paths := slices.Sorted(maps.Keys(files))
	if len(paths) != 3 || paths[1] != "docs/discoveries/2026-11/3-2.2.md" || len(paths[2]) > 100 || strings.Contains(paths[2], "..") {
		t.Errorf("got %q", paths)
	}
	r.Discoveries = []tasks.Discovery{{Type: "pattern", Content: cleantest.Hostile, Files: []string{cleantest.Hostile}}}
	for path, b := range DiscoveryFiles("1", "worker-0", r) {
		cleantest.Check(t, "path", path, cleantest.Lines)
		cleantest.Check(t, "file", string(b), cleantest.Texts)
	}
}
