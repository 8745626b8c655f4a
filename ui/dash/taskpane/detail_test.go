package taskpane

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/ui/dash/patchview"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// row is the first row that is drawn, without styles.
func row(s screen) string { return strings.TrimRight(ansi.Strip(s.View(80, 10)[0]), " ") }

func TestDiffViewScrolls(t *testing.T) {
	v := patchview.NewDiffView("ship-0")
	v.Bottom()
	v.View(80, 10)
	v.SetLines(loaded().Patch)
	for _, tt := range []struct {
		name string
		act  func()
		head string
	}{
		{"next", func() { v.NextFile(1) }, "auth/jwt_test.go"},
		{"next of the last", func() { v.NextFile(1) }, "auth/jwt_test.go"},
		{"back", func() { v.NextFile(-1) }, "auth/jwt.go"},
		{"back of the first", func() { v.NextFile(-1) }, "auth/jwt.go"},
		{"within", func() { v.ScrollBy(20) }, "auth/jwt_test.go"},
		{"back within", func() { v.NextFile(-1) }, "auth/jwt_test.go"},
		{"bottom", v.Bottom, "auth/jwt_test.go"},
		{"page", func() { v.PageBy(-10) }, "auth/jwt.go"},
		{"wheel", func() { v.Wheel(1_000_000) }, "auth/jwt_test.go"},
		{"top", v.Top, "auth/jwt.go"},
	} {
		tt.act()
		if got := row(v); !strings.HasPrefix(got, tt.head+" ─") {
			t.Errorf("%s: the first row is %q, want %s", tt.name, got, tt.head)
		}
	}
	v.ScrollAcross(3)
	if text := plain(v.View(80, 10)); !strings.Contains(text, "\nnc Check(token") || !strings.HasPrefix(text, "auth/jwt.go") {
		t.Errorf("shifted:\n%s", text)
	}
	v.ScrollAcross(-10)
	v.Bottom()
	if text := plain(v.View(80, 10)); !strings.Contains(text, "the rest is left out") || !strings.Contains(text, "binary left out") {
		t.Errorf("the end:\n%s", text)
	}
	v.SetLines(changes.Patch{})
	if text := plain(v.View(80, 10)); !strings.Contains(text, "nothing is changed") {
		t.Errorf("empty:\n%s", text)
	}
}

func TestDetailScrolls(t *testing.T) {
	p := showing(told())
	d := NewDetail(&p.Tasks, "3")
	d.View(80, 10)
	d.SetData(loaded())
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
	if text := plain(d.View(80, 10)); !strings.Contains(text, "the rest is left out") {
		t.Errorf("the end:\n%s", text)
	}
	d.PageBy(-1000)
	if got := row(d); got != top {
		t.Errorf("back at the top: %q", got)
	}
}

// A detail follows its task on the board, and says when it is gone.
func TestDetailFollows(t *testing.T) {
	p := New()
	d := NewDetail(&p.Tasks, "3")
	if text := plain(d.View(80, 10)); !strings.Contains(text, "reading the voyage") {
		t.Errorf("got:\n%s", text)
	}
	p.SetBoard(told(), noon)
	if d.Info() != "● in progress" || !strings.Contains(plain(d.View(80, 10)), "● in progress on ship-0") {
		t.Errorf("info %q", d.Info())
	}
	next := told()
	next.Tasks[2].Status, next.Tasks[2].CompletedAt = tasks.Completed, noon
	p.SetBoard(next, noon)
	if text := plain(d.View(80, 20)); !strings.Contains(text, "✓ completed") || !strings.Contains(text, "Took       3m00s") {
		t.Errorf("got:\n%s", text)
	}
	next = told()
	next.Tasks = next.Tasks[:1]
	p.SetBoard(next, noon)
	if text := plain(d.View(80, 10)); !strings.Contains(text, "no longer on the board") {
		t.Errorf("got:\n%s", text)
	}
}

// Sections are bounded and say what they leave out.
func TestDetailIsBounded(t *testing.T) {
	b := large(2000)
	b.Tasks[0].Description = strings.Repeat("word ", 100_000)
	b.Tasks[0].Metadata = map[string]any{}
	for i := range 500 {
		b.Tasks[0].Metadata[fmt.Sprint("key", i)] = i
		if i > 0 {
			b.Tasks[i].BlockedBy = append(b.Tasks[i].BlockedBy, "1")
		}
	}
	d := NewDetail(&showing(b).Tasks, "1")
	text := plain(d.View(80, 600))
	for _, want := range []string{"the rest is left out", "+ 470 more", "+ 449 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q", want)
		}
	}
	if len(d.head) > 500 {
		t.Errorf("%d rows", len(d.head))
	}
}
