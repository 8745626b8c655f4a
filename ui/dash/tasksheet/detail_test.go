package tasksheet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/taskstory"
)

// row is the first row that is drawn, without styles.
func row(s golden.View) string { return strings.TrimRight(golden.Plain(s.View(80, 10)[:1]), " ") }

func TestDetailScrolls(t *testing.T) {
	p := showing(standingtest.Told())
	d := New(p, "3")
	d.View(80, 10)
	d.SetData(standingtest.Loaded())
	top := row(d)
	d.NextFile(1)
	if got := row(d); !strings.HasPrefix(got, "auth/jwt.go ─") {
		t.Errorf("first file: %q", got)
	}
	d.NextFile(1)
	if got := row(d); !strings.HasPrefix(got, "auth/jwt_test.go ─") {
		t.Errorf("second file: %q", got)
	}
	d.NextFile(-1)
	if got := row(d); !strings.HasPrefix(got, "auth/jwt.go ─") {
		t.Errorf("back: %q", got)
	}
	d.Bottom()
	if text := golden.Plain(d.View(80, 10)); !strings.Contains(text, "the rest is left out") {
		t.Errorf("the end:\n%s", text)
	}
	d.PageBy(-1000)
	if got := row(d); got != top {
		t.Errorf("back at the top: %q", got)
	}
}

// A detail follows its task on the board, and says when the task is gone.
func TestDetailFollows(t *testing.T) {
	p := &standing.Tasks{Needs: &attention.Needs{}}
	d := New(p, "3")
	if text := golden.Plain(d.View(80, 10)); !strings.Contains(text, "reading the voyage") {
		t.Errorf("got:\n%s", text)
	}
	p.SetBoard(standingtest.Told(), standingtest.Noon)
	if d.Info() != "● in progress" || !strings.Contains(golden.Plain(d.View(80, 10)), "● in progress on ship-0") {
		t.Errorf("info %q", d.Info())
	}
	next := standingtest.Told()
	next.Tasks[2].Status, next.Tasks[2].CompletedAt = tasks.Completed, standingtest.Noon
	p.SetBoard(next, standingtest.Noon)
	if text := golden.Plain(d.View(80, 20)); !strings.Contains(text, "✓ completed") || !strings.Contains(text, "Took       3m00s") {
		t.Errorf("got:\n%s", text)
	}
	next = standingtest.Told()
	next.Tasks = next.Tasks[:1]
	p.SetBoard(next, standingtest.Noon)
	if text := golden.Plain(d.View(80, 10)); !strings.Contains(text, "no longer on the board") {
		t.Errorf("got:\n%s", text)
	}
}

// Sections are bounded and say what they leave out.
func TestDetailIsBounded(t *testing.T) {
	b := standingtest.Large(2000)
	b.Tasks[0].Description = strings.Repeat("word ", 100_000)
	b.Tasks[0].Metadata = map[string]any{}
	for i := range 500 {
		b.Tasks[0].Metadata[fmt.Sprint("key", i)] = i
		if i > 0 {
			b.Tasks[i].BlockedBy = append(b.Tasks[i].BlockedBy, "1")
		}
	}
	d := New(showing(b), "1")
	text := golden.Plain(d.View(80, 600))
	for _, want := range []string{"the rest is left out", "+ 470 more", "+ 449 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q", want)
		}
	}
	if len(d.head) > 500 {
		t.Errorf("%d rows", len(d.head))
	}
}

// The detail has the whole command, however long it is.
func TestDispatchDetail(t *testing.T) {
	p, b := &standing.Tasks{Needs: &attention.Needs{}}, standingtest.Kites()
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "line %d of the command\n", i)
	}
	b.Tasks[6].Description = long.String()
	p.SetBoard(b, standingtest.Noon)
	d := New(p, "10")
	for _, want := range []string{"Place      2 in the queue", "Dispatched 11:40 · 20m ago", "Base       9e8d7c6, main", "line 299 of the command"} {
		if text := golden.Plain(d.View(80, 400)); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	d = New(p, "2")
	d.SetData(taskstory.DetailData{ID: "2", Dispatch: &dispatch.Result{
		Commit: "abc1231", Said: "It is longer now.", Began: standingtest.Ago(time.Hour), Ended: standingtest.Ago(5 * time.Minute), Usage: dispatch.Tokens{Tokens: 12_300, CostUSD: 0.41},
	}})
	for _, want := range []string{"Took       55m00s", "Branch     dispatch/kite-10-2", "Used       $0.41, 12k tokens", "It tears in strong wind", "Summary", "It is longer now."} {
		if text := golden.Plain(d.View(80, 60)); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A detail ignores data of another task.
func TestDataOfAnother(t *testing.T) {
	d := New(showing(standingtest.Told()), "1")
	d.SetData(standingtest.Loaded())
	if text := golden.Plain(d.View(80, 60)); !strings.Contains(text, "reading the journal") {
		t.Errorf("took the data of another task:\n%s", text)
	}
	d.SetData(taskstory.DetailData{ID: "1", Commits: []changes.Commit{{ID: "abc1230", Merged: true, Trailers: [][2]string{{"Ocaptain-Ship", "ship-0"}}}}})
	if text := golden.Plain(d.View(80, 60)); !strings.Contains(text, "✓ merged") || !strings.Contains(text, "Ocaptain-Ship: ship-0") {
		t.Errorf("got:\n%s", text)
	}
}
