package dash

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// oneTree is a board of a voyage whose ships share a tree: two files clash, and one ship was emptied.
func oneTree(t *testing.T) *fleet.Board {
	t.Helper()
	b := calm(aBoard(t))
	b.Voyage.Sync = fleet.SyncLive
	for i := range b.Ships {
		b.Ships[i].Tree = fleet.SharedTree{State: fleet.TreeSame}
	}
	b.Ships[0].Tree.Conflicts = []string{"src/style.css", "build/log"}
	b.Ships[1].Tree.Problems = []fleet.TreeProblem{{Path: "out", Why: "it leads out of the tree"}}
	b.Ships[2].Tree = fleet.SharedTree{State: fleet.TreeEmptied, Why: "all files were removed"}
	return b
}

// copied makes the copies of both trees, in which one of the files differs.
func (s *stage) copied() {
	s.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir.Workspace(), "src"), 0o755); err != nil {
		s.Fatal(err)
	}
	s.git(0, "init", "-q", "-b", s.m.v.Board.Voyage.Branch)
	for ref, text := range map[string]string{"shared": "table {\n\twidth: 80%;\n}\n", "live/ship-0": "table {\n\twidth: 60ch;\n}\n"} {
		if err := errors.Join(os.WriteFile(filepath.Join(s.dir.Workspace(), "src/style.css"), []byte(text), 0o644), os.WriteFile(filepath.Join(s.dir.Workspace(), "CLAUDE.md"), []byte(text), 0o644)); err != nil {
			s.Fatal(err)
		}
		s.git(0, "add", "-A")
		s.git(0, "commit", "-q", "-m", "x")
		s.git(0, "update-ref", "refs/ocaptain/"+ref, "HEAD")
	}
}

// openTrees opens the page of the trees.
func (s *stage) openTrees() {
	s.Helper()
	s.copied()
	s.run(s.m.openTrees())
	s.until("it is read", func() bool { return !strings.Contains(s.text(), "reading the changes") })
}

func TestScreensOfTrees(t *testing.T) {
	each(t, "trees", func(t *testing.T, w, h int, file string) {
		s := setStage(t, w, h, oneTree(t), nil, nil)
		s.openTrees()
		s.golden(file)
	})
}

// The captain settles what he sees: one file, all of them, or a tree that was emptied.
func TestSettle(t *testing.T) {
	const kept = `"keep":`
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"one file by workspace/", []string{"S", "enter", "enter"}, `{"ship":"ship-0","paths":["src/style.css"],` + kept + `"hub"}`},
		{"both of the other", []string{"S", "down", "enter", "down", "enter"}, `{"ship":"ship-0","paths":["build/log"],` + kept + `"both"}`},
		{"an emptied tree", []string{"S", "down", "down", "enter"}, `{"ship":"ship-2",` + kept + `"hub"}`},
		{"all by the ship", []string{"S", "a", "l", "l", "space", "f", "enter", "down", "down", "enter"}, `{"ship":"ship-0",` + kept + `"ship-0"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setStage(t, 120, 40, oneTree(t), nil, nil)
			asked := s.helm()
			s.openTrees()
			s.press(c.keys...)
			s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
			if got := s.next(asked); !strings.HasSuffix(got.path, "/settle") || strings.TrimSpace(got.body) != c.want {
				t.Errorf("helm is asked for %s %s, want %s", got.path, got.body, c.want)
			}
		})
	}
}

// Trees that were paused go on by the captain's word, and the page follows the board.
func TestTreesGoOn(t *testing.T) {
	b := oneTree(t)
	for i := range b.Ships {
		b.Ships[i].Tree = fleet.SharedTree{State: fleet.TreePaused, Why: "much went away"}
	}
	s := setStage(t, 120, 40, b, nil, nil)
	asked := s.helm()
	s.openTrees()
	s.shows("ship-0 is paused: much went away")
	s.press("S")
	if got := s.next(asked); !strings.HasSuffix(got.path, "/tree/go-on") {
		t.Errorf("helm is asked for %s", got.path)
	}
	b.At = noon.Add(1)
	b.Ships[0].Tree = fleet.SharedTree{State: fleet.TreeSame}
	s.write(s.dir.BoardFile(), b)
	s.until("it is read again", func() bool { return strings.Contains(s.text(), "ship-0 is in step") })
}
