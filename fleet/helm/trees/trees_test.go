package trees

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen"
)

// Of reports conflicts and problems of a session, even if Mutagen's status is only "watching".
func TestOf(t *testing.T) {
	both := func(s mutagen.State) mutagen.State {
		s.A.Connected, s.B.Connected = true, true
		return s
	}
	for _, c := range []struct {
		name string
		from mutagen.State
		want fleet.SharedTree
	}{
		{"in step", both(mutagen.State{Status: "watching", Cycles: 1}), fleet.SharedTree{State: fleet.TreeSame}},
		{"at first", both(mutagen.State{Status: "staging-beta"}), fleet.SharedTree{State: fleet.TreeMoving}},
		{"on the way", mutagen.State{Status: "connecting-beta"}, fleet.SharedTree{State: fleet.TreeAway, Why: "the ship is being reached"}},
		{"cut", mutagen.State{Status: "connecting-beta", Error: "unexpected EOF"}, fleet.SharedTree{State: fleet.TreeAway, Why: "unexpected EOF"}},
		{"emptied", both(mutagen.State{Status: "halted-on-root-emptied"}), fleet.SharedTree{State: fleet.TreeEmptied, Why: "all files were removed"}},
		{"paused", mutagen.State{Status: "disconnected", Paused: true}, fleet.SharedTree{State: fleet.TreePaused, Why: "it was paused; to go on: ocaptain conflicts --go-on"}},
		{
			"conflicts", both(mutagen.State{Status: "watching", Cycles: 1, Conflicts: []mutagen.Conflict{{Root: "x"}}, MoreConflicts: 2}),
			fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"x"}, MoreConflicts: 2},
		},
		{
			"problems", both(mutagen.State{Status: "watching", Cycles: 1, A: mutagen.Side{Brought: []mutagen.Problem{{Path: "x", Why: "y"}}}, B: mutagen.Side{Scan: []mutagen.Problem{{Path: "z", Why: "w"}}, MoreScan: 3}}),
			fleet.SharedTree{State: fleet.TreeSame, Problems: []fleet.TreeProblem{{Path: "x", Why: "y"}, {Path: "z", Why: "w"}}, MoreProblems: 3},
		},
	} {
		if got := Of(c.from); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A problem with a ship's artifacts is reported whether the ship shares a tree or not.
func TestTogether(t *testing.T) {
	session := func(ship, artifact, status string) mutagen.State {
		s := mutagen.State{Status: status, Cycles: 1, Labels: map[string]string{labelVoyage: "v", labelShip: ship}}
		s.A.Connected, s.B.Connected, s.A.Path = true, true, "/"+artifact
		if artifact != "" {
			s.Labels[labelArtifact] = artifact
		}
		return s
	}
	got := together([]mutagen.State{session("a", "x", "halted-on-root-emptied"), session("a", "", "watching"), session("b", "x", "watching"), session("c", "", "halted-on-root-emptied")})
	want := map[[2]string]fleet.SharedTree{
		{"v", "a"}: {State: fleet.TreeSame, Problems: []fleet.TreeProblem{{Path: "/x", Why: "all files were removed there, and stay here"}}},
		{"v", "b"}: {State: fleet.TreeSame},
		{"v", "c"}: {State: fleet.TreeEmptied, Why: "all files were removed"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPatterns(t *testing.T) {
	if got := Patterns([]byte("# mine\n\n build/ \n!dist\n" + strings.Repeat("x", 1001) + "\n")); !slices.Equal(got, []string{"build/", "!dist"}) {
		t.Errorf("%q", got)
	}
	if got := Patterns([]byte(strings.Repeat("a\n", maxPatterns+5))); len(got) != maxPatterns {
		t.Errorf("%d", len(got))
	}
	if got := Literal(`a/[b]*{c}\`); got != `/a/\[b\]\*\{c\}\\` {
		t.Errorf("%s", got)
	}
}
