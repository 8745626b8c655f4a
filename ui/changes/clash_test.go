package changes

import (
	"strings"
	"testing"

	"ocaptain/fleet"
)

// Each clashing file is one file of the patch, with the differences between both copies, whatever its name.
func TestReadTrees(t *testing.T) {
	y := newYard(t)
	for ref, text := range map[string]string{"shared": "hub\n", "live/ship-0": "ship\n"} {
		for _, name := range []string{"a.txt", "*.txt", "CLAUDE.md", "evil\x1b[2J"} {
			y.put(name, text)
		}
		y.commit("x")
		y.git("update-ref", "refs/ocaptain/"+ref, "HEAD")
	}
	y.board.Ships[0].Tree = fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"*.txt", "evil\x1b[2J", "none", "../../etc/passwd", ":(glob)**"}, MoreConflicts: 2}
	y.board.Ships[1].Tree = fleet.SharedTree{State: fleet.TreeAway, Why: "cut", Conflicts: []string{"a.txt"}, Problems: []fleet.TreeProblem{{Path: "pipe", Why: "odd"}}}
	p, err := ReadTrees(t.Context(), y.dir, OfTrees(&y.board), Clashes(&y.board))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, l := range p.Lines {
		text.WriteString(l.Text + "\n")
	}
	got := text.String()
	for _, want := range []string{
		"ship-0 is in step\nship-0: 2 more files that clash", "ship-1 is not synced: cut\nship-1: pipe does not travel: odd\n", "ship-0: none\n" + NoClash, "ship-0: :(glob)**\n" + NoClash,
		"ship-0: ../../etc/passwd\nwhat differs is not known: ", "ship-1: a.txt\nwhat differs is not known: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "-hub\n+ship\n"); n != 2 || strings.Contains(got, "steer") || strings.Contains(got, "\x1b") {
		t.Errorf("%d differences in\n%s", n, got)
	}
	if len(p.Files) != 6 || p.Files[0].Added != 1 || p.Files[0].Removed != 1 || p.Added != 2 {
		t.Errorf("%+v", p.Files)
	}
}
