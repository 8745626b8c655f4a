package patchview

import (
	"strings"
	"testing"

	"ocaptain/ui/changes"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing/standingtest"
)

// row returns the first drawn row, without styles.
func row(s golden.View) string { return strings.TrimRight(golden.Plain(s.View(80, 10)[:1]), " ") }

func TestDiffViewScrolls(t *testing.T) {
	v := NewDiffView("ship-0")
	v.Bottom()
	v.View(80, 10)
	v.SetLines(standingtest.Loaded().Patch)
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
	if text := golden.Plain(v.View(80, 10)); !strings.Contains(text, "\nnc Check(token") || !strings.HasPrefix(text, "auth/jwt.go") {
		t.Errorf("shifted:\n%s", text)
	}
	v.ScrollAcross(-10)
	v.Bottom()
	if text := golden.Plain(v.View(80, 10)); !strings.Contains(text, "the rest is left out") || !strings.Contains(text, "binary left out") {
		t.Errorf("the end:\n%s", text)
	}
	v.SetLines(changes.Patch{})
	if text := golden.Plain(v.View(80, 10)); !strings.Contains(text, "nothing is changed") {
		t.Errorf("empty:\n%s", text)
	}
}
