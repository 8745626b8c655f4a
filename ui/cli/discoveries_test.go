package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/search"
)

// discoveredVoyage makes a voyage. Its branch has a valid discovery, a stale discovery, and a file that is not a discovery.
func discoveredVoyage(t *testing.T, b *bridge) {
	t.Helper()
	d := fleet.Dir(filepath.Join(b.hub.Voyages, testVoyage))
	mustMkdir(t, filepath.Join(d.Workspace(), "docs/discoveries/2026-11"))
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(d.Workspace(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = d.Workspace()
		at := present.Add(-50 * 3600e9).Format("2006-01-02T15:04:05Z07:00")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x", "GIT_COMMITTER_DATE="+at)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	run("init", "-q", "-b", testVoyage)
	put("auth.ts", "one\ntwo\n")
	put("docs/discoveries/2026-11/1.1-a.md", "---\ntype: gotcha\ntask: \"1\"\nauthor: ship-0\n---\n\nThe clock of the server \x1b[2Jcounts.\nNo other one.\n")
	put("docs/discoveries/2026-11/1.2-b.md", "---\ntype: pattern\nfiles: [auth.ts, gone.ts]\n---\n\nTokens are checked in auth.ts.\n")
	put("docs/discoveries/README.md", "# What is here\n")
	run("add", ".")
	run("commit", "-q", "-m", "begin")
	put("auth.ts", "one\nthree\n")
	run("commit", "-q", "-a", "-m", "change")
	v := fleet.Voyage{ID: testVoyage, Branch: testVoyage, CreatedAt: present}
	if err := v.Save(d); err != nil {
		t.Fatal(err)
	}
}

func TestDiscoveries(t *testing.T) {
	for args, want := range map[string]string{
		"": `! docs/discoveries/README.md is skipped: it does not begin with YAML between two lines of ---
TYPE     AGE   STATE    DISCOVERY                        FILES
pattern  2d2h  ! stale  Tokens are checked in auth.ts.   auth.ts +1
gotcha   2d2h  ✓ holds  The clock of the server counts.  -
`,
		"--stale": `! docs/discoveries/README.md is skipped: it does not begin with YAML between two lines of ---
TYPE     AGE   STATE    DISCOVERY                       FILES
pattern  2d2h  ! stale  Tokens are checked in auth.ts.  auth.ts +1
`,
	} {
		b, out := homeBridge(t)
		discoveredVoyage(t, b)
		root := newRoot(b)
		root.SetArgs(append([]string{"discoveries", "-v", testVoyage}, strings.Fields(args)...))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%q prints\n%s", args, out)
		}
	}
}

func TestDiscoveriesJSON(t *testing.T) {
	b, out := homeBridge(t)
	discoveredVoyage(t, b)
	root := newRoot(b)
	root.SetArgs([]string{"discoveries", "-v", testVoyage, "--json"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var is foundDiscoveries
	if err := json.Unmarshal(out.Bytes(), &is); err != nil || len(is.Discoveries) != 2 || len(is.Skipped) != 1 || len(is.Commit) != 40 {
		t.Fatalf("%v: %s", err, out)
	}
	if d := is.Discoveries[1]; d.File != "docs/discoveries/2026-11/1.1-a.md" || d.Type != "gotcha" || d.Stale || d.Task != "1" || d.Author != "ship-0" || !strings.HasSuffix(d.Text, "No other one.") {
		t.Errorf("%+v", d)
	}
	if d := is.Discoveries[0]; !d.Stale || len(d.Files) != 2 {
		t.Errorf("%+v", d)
	}
}

// A result that is a discovery is marked as one.
func TestSearchMarksDiscoveries(t *testing.T) {
	b, out := testBridge(t, 0)
	found := search.Results{Total: 2}
	for file, kind := range map[string]search.Kind{"docs/discoveries/a.md": search.Discovery, "a.go": search.Function} {
		found.Results = append(found.Results, search.Result{Hit: search.Hit{File: file, Chunk: search.Chunk{Kind: kind, Start: 1, End: 5}}})
	}
	b.sayFound(found, true)
	if got := out.String(); !strings.Contains(got, "docs/discoveries/a.md:1-5  discovery\n") || !strings.Contains(got, "a.go:1-5\n") {
		t.Errorf("it prints\n%s", got)
	}
}
