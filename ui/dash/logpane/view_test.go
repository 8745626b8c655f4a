package logpane

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
)

func TestScreens(t *testing.T) {
	r := board(t, 1000)
	r.story()
	r.read()
	r.lines(13)
	p := r.pane
	p.SetFocused(true)
	for _, width := range []int{60, 80, 120, 200} {
		r.golden(fmt.Sprintf("lines-%d", width), width, 12)
	}
	p.ToggleWrap()
	r.golden("wrap-60", 60, 16)
	p.ToggleWrap()
	p.MoveBy(-9)
	p.ToggleTime()
	r.golden("paused-80", 80, 8)
	p.MoveAcross(20)
	r.golden("sideways-80", 80, 8)
	p.MoveAcross(-20)
	p.ToggleTime()
	p.Bottom()
	p.AddMark(present.Add(99e9))
	if err := p.SetFilter("panic"); err != nil {
		t.Fatal(err)
	}
	r.golden("grep-80", 80, 8)
	p.ToggleContext()
	r.golden("context-80", 80, 12)
	p.ToggleContext()
	p.NextHit(-1)
	p.SetFocused(false)
	r.golden("all-lines-80", 80, 14)
	p.ClearFilters()
	p.ToggleShip(1)
	p.ToggleShip(3)
	p.SetRole("worker")
	r.golden("ships-120", 120, 10)
	theme.Activate(theme.Mono)
	defer theme.Activate(theme.Dark)
	p.ClearFilters()
	if err := p.SetFilter("!a"); err != nil {
		t.Fatal(err)
	}
	r.golden("mono-80", 80, 8)
}

// Without lines, the pane says why, and what to do next.
func TestScreensWithoutLines(t *testing.T) {
	r := board(t, 1000)
	for _, width := range []int{60, 120} {
		r.golden(fmt.Sprintf("loading-%d", width), width, 5)
	}
	r.pane.ShowError(errors.New("open logs: permission \x1b[2Jdenied"))
	r.golden("failed-60", 60, 5)
	r.read()
	r.lines(0)
	r.golden("empty-60", 60, 5)

	r = board(t, 1000)
	r.story()
	r.read()
	r.lines(13)
	if err := r.pane.SetFilter("kraken"); err != nil {
		t.Fatal(err)
	}
	r.pane.ToggleShip(7)
	r.pane.View(60, 5) // draws before anything was searched
	r.golden("none-60", 60, 6)
	r.golden("none-200", 200, 6)
	r.pane.ClearFilters()
	r.pane.ShowError(errors.New("the voyage is gone"))
	r.golden("stale-80", 80, 6)
}

// The legend shows the words for roles, and highlights the shown role.
func TestLegend(t *testing.T) {
	p := New()
	all := p.Legend()
	if got := ansi.Strip(all); got != "a all · w worker · v validator · p planner" {
		t.Errorf("got %q", got)
	}
	p.SetRole("validator")
	if p.Legend() == all {
		t.Error("the role that is shown does not stand out")
	}
}

// Every row has the width of the pane, whatever the pane shows and however.
func TestRowsFit(t *testing.T) {
	r := board(t, 1000)
	r.story()
	r.log("a-ship-whose-name-is-longer-than-some-screens-are-wide-0", say(9, "say", strings.Repeat("wide 語\u0301 \U0001F468\u200d\U0001F469\u200d\U0001F467 ", 400)))
	r.read()
	r.lines(14)
	p := r.pane
	check := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{200, 30}, {41, 9}, {20, 3}, {5, 2}, {1, 1}, {0, 0}} {
			rows := r.screen(size[0], size[1])
			if len(rows) != size[1] {
				t.Fatalf("%s: %d rows in a pane of %v", what, len(rows), size)
			}
			for _, row := range rows {
				if w := ansi.StringWidth(row); w != size[0] {
					t.Fatalf("%s: %d cells in a pane of %v: %q", what, w, size, row)
				}
				if text := ansi.Strip(row); strings.ContainsFunc(text, unicode.IsControl) || strings.Contains(row, "\x1b]") || strings.Contains(row, "[2J") {
					t.Fatalf("%s: %q", what, row)
				}
			}
		}
	}
	check("follow")
	for i, change := range []func(){
		func() { p.MoveBy(-2) }, p.ToggleWrap, p.Top, p.ToggleTime, func() { _ = p.SetFilter("[aeiou]") }, p.ToggleContext, func() { p.PageBy(3) },
		func() { p.AddMark(present) }, p.Bottom, p.ToggleWrap, func() { p.MoveAcross(33) }, p.ToggleContext, func() { p.Wheel(-4) },
	} {
		change()
		check(fmt.Sprintf("change %d", i))
	}
}
