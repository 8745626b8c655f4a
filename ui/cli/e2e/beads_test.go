package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/eventually"
)

// beadsRepository has three issues, two of which wait for nothing, and lines that must not change.
func (c *captain) beadsRepository(name string) (repo, issues string) {
	c.Helper()
	repo = c.freshRepository(name)
	issues = `{"id":"kite-1","title":"Lay the keel","status":"open","priority":1,"issue_type":"task","metadata":{"captain":{"run":"echo keel >keel"}}}
{"id":"kite-2","title":"Build a mast","status":"open","priority":1,"issue_type":"task","metadata":{"captain":{"run":"test -e keel && echo mast >mast"}},"dependencies":[{"issue_id":"kite-2","depends_on_id":"kite-1","type":"blocks","created_at":"2026-01-31T12:00:00Z"}]}
{"id":"kite-3","title":"Sew a sail","status":"open","priority":1,"issue_type":"task","metadata":{"captain":{"run":"echo sail >sail"}}}
{"id":"kite-4", "title":"Done", "status":"closed", "own":[1, 2]}
`
	c.write(filepath.Join(name, beads.Name), issues)
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "issues")
	return repo, issues
}

// closes waits until these issues are closed on the branch of a voyage, and checks that no other line has changed.
func (c *captain) closes(d fleet.Dir, before string, ids ...string) *beads.File {
	c.Helper()
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		c.Fatal(err)
	}
	text := ""
	eventually.Holds(c, "the issues are closed", func() bool {
		text = c.git(d.Workspace(), "show", v.Branch+":"+beads.Name) + "\n"
		f := beads.Read([]byte(text))
		return !slices.ContainsFunc(ids, func(id string) bool { return f.Issue(id) == nil || f.Issue(id).Status != beads.Closed })
	})
	was := beads.Read([]byte(before))
	others := func(text string) (lines string) {
		for l := range strings.Lines(text) {
			if i := beads.Read([]byte(l)).Issues(); len(i) == 1 && was.Issue(i[0].ID) != nil && !slices.Contains(ids, i[0].ID) {
				lines += l
			}
		}
		return lines
	}
	if others(text) != others(before) {
		c.Errorf("others have changed:\n%s", text)
	}
	return beads.Read([]byte(text))
}

// TestBeads sails with the open issues of a project, and starts a session with the ready issues.
func TestBeads(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	repo, issues := c.beadsRepository("kite")
	if out := c.ocaptain("plan", "check", "beads:"+repo); !strings.Contains(out, "kite") {
		t.Error(out)
	}
	c.ocaptain("sail", "beads:"+repo, "--agent", "script", "--ships", "1", "--detach")
	d := c.voyages()[0]
	c.closes(d, issues, "kite-1", "kite-2", "kite-3")
	if out := c.ocaptain("tasks"); !strings.Contains(out, "ISSUE") || !strings.Contains(out, "kite-2") {
		t.Errorf("the tasks are\n%s", out)
	}
	c.ocaptain("sink", "--force")

	c.ocaptain("start", "--repo", repo, "--agent", "script", "--workers", "1", "--validators", "0", "--branch", "feat/x", "--beads", "--detach")
	for _, d := range c.voyages() {
		if v, err := fleet.LoadVoyage(d); err == nil && v.Branch == "feat/x" {
			c.closes(d, issues, "kite-1", "kite-3")
			if out := c.git(d.Workspace(), "ls-tree", "--name-only", "feat/x"); strings.Contains(out, "mast") {
				t.Errorf("what was not ready is done: %s", out)
			}
		}
	}
}
