package told

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet/proto"
)

var update = flag.Bool("update", false, "write testdata/told.txt anew")

// TestTold writes all texts to one golden file, so that people can read them as a whole.
func TestTold(t *testing.T) {
	var b strings.Builder
	row := func(moment, text string) { fmt.Fprintf(&b, "  %-12s  %s\n", moment, text) }
	for _, a := range []Agent{
		{"worker", true, false},
		{"worker", false, false},
		{"worker", true, true},
		{Planner, true, false},
		{Planner, false, false},
		{Validator, true, false},
		{Validator, false, false},
	} {
		fmt.Fprintf(&b, "%s, tools: %t, given: %t\n", a.Role, a.Tools, a.Given)
		row("first", a.First("kite-1", "voyage-1"))
		row("begins anew", a.Begin())
		row("holds", a.Next(proto.Verdict{Act: proto.ActContinue, Held: "3"}))
		row("one is ready", a.Next(proto.Verdict{Act: proto.ActClaim, Ready: []string{"3"}}))
		row("more are", a.Next(proto.Verdict{Act: proto.ActClaim, Ready: []string{"3", "4", "5"}, Why: "It is urgent."}))
		row("some are", a.Next(proto.Verdict{Act: proto.ActClaim}))
		row("lost", a.Lost("3", proto.Fate{Why: "requeued by the captain", Kept: "refs/ocaptain/parked/kite-1/x"}))
		row("turn limit", a.Lost("3", proto.Fate{Why: "max_turns", GoesOn: true}))
		row("forgot", a.Rules())
	}
	fmt.Fprintln(&b, "all")
	row("talked out", TalkedOut)
	row("granted", strings.ReplaceAll(Granted("3", "Do it."), "\n", "\\n"))
	row("finishing", Finishing)
	had := []Task{{"1", "One"}, {"2", "Two"}, {"3", "Three\nlines"}, {"4", strings.Repeat("long ", 20)}}
	row("handover", Agent{}.Handover("kite-1", "voyage-1", had, false))
	row("with notes", Agent{}.Handover("kite-1", "voyage-1", nil, true))
	row("error", AfterError)
	row("pause", AfterPause)
	row("check", Check("make test"))
	row("no review", NoReview)
	row("no epic", NoEpic)
	row("approves", SayWhy("approve"))
	row("rejects", SayWhy("reject"))
	row("review over", ReviewOver("3", "requeued by the captain"))
	row("went back", WentBack("worker-1"))
	const file = "testdata/told.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != b.String() {
		t.Errorf("%v: got\n%s", err, b.String())
	}
}
