package logpane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
)

// numbered returns lines with numbers as text.
func numbered(from, to int) []fleet.LogLine {
	var all []fleet.LogLine
	for i := from; i < to; i++ {
		all = append(all, say(i, "say", fmt.Sprintf("line %d.", i)))
	}
	return all
}

// shown returns the texts of the rows on the screen.
func (r *rig) shown() []string {
	r.t.Helper()
	var all []string
	for _, row := range r.screen(80, 10) {
		_, text, _ := strings.Cut(strings.TrimRight(ansi.Strip(row), " "), "] line ")
		all = append(all, strings.TrimSuffix(text, "."))
	}
	return all
}

func (r *rig) expect(what string, first, last int) {
	r.t.Helper()
	got := r.shown()
	if got[0] != fmt.Sprint(first) || got[len(got)-1] != fmt.Sprint(last) {
		r.t.Errorf("%s: shows %s to %s, want %d to %d", what, got[0], got[len(got)-1], first, last)
	}
}

func (r *rig) selects(what string, line int) {
	r.t.Helper()
	text, ok := r.pane.Selected()
	if !ok || !strings.HasSuffix(text, fmt.Sprintf("line %d.", line)) {
		r.t.Errorf("%s: selected is %q, want line %d", what, text, line)
	}
}

// hundred returns a pane of ten rows that shows a hundred lines without turns.
func hundred(t testing.TB, most int) *rig {
	t.Helper()
	r := board(t, most)
	r.log("ship-0", numbered(0, 100)...)
	r.read()
	r.lines(min(100, most))
	return r
}

func TestMoving(t *testing.T) {
	r := hundred(t, 1000)
	p := r.pane
	r.expect("follow", 90, 99)
	r.selects("follow", 99)
	p.MoveBy(1)
	if !p.follow {
		t.Error("moving down at the end pauses")
	}
	p.MoveBy(-1)
	r.expect("up", 90, 99)
	r.selects("up", 98)
	p.MoveBy(-9)
	r.expect("out of the screen", 89, 98)
	r.selects("out of the screen", 89)
	p.MoveBy(10)
	r.expect("down again", 90, 99)
	r.selects("down again", 99)
	p.PageBy(-2)
	r.expect("a page up", 80, 89)
	r.selects("a page up", 89)
	p.PageBy(1)
	r.expect("half a page down", 85, 94)
	p.PageBy(10)
	r.expect("down", 90, 99)
	p.PageBy(2)
	r.selects("down at the end", 99)
	p.Top()
	r.expect("top", 0, 9)
	r.selects("top", 0)
	p.Wheel(3)
	r.expect("wheel", 3, 12)
	r.selects("wheel", 3)
	p.Click(5, 4)
	r.selects("click", 7)
	p.Click(5, 400)
	r.selects("click below", 7)
	p.Bottom()
	r.expect("bottom", 90, 99)
	p.Wheel(-5)
	r.expect("wheel up", 85, 94)
	r.selects("wheel up", 94)
	p.ToggleFollow()
	p.Click(0, 0)
	if p.follow {
		t.Error("a click does not pause")
	}
	r.selects("click while it follows", 90)
}

// A paused pane stays the same, even when all its records are evicted; new lines are counted.
func TestPausedViewStandsStill(t *testing.T) {
	for _, pattern := range []string{"", "line", "!nothing"} {
		r := hundred(t, 100)
		p := r.pane
		if err := p.SetFilter(pattern); err != nil {
			t.Fatal(err)
		}
		r.expect("follow", 90, 99)
		p.MoveBy(-50)
		r.expect("paused", 49, 58)
		for k := 1; k < 10; k++ {
			r.log("ship-1", numbered(100*k, 100*k+100)...)
			r.until("more lines", func() bool { return p.NewBelow() == min(100*k, 100) && p.book.NextSeq() == int64(100*k) })
			r.expect("evicted", 49, 58)
			r.selects("evicted", 49)
		}
		if info := ansi.Strip(p.Info()); !strings.HasPrefix(info, "paused, 100 new below") {
			t.Errorf("info is %q", info)
		}
		p.MoveBy(1)
		r.expect("down", 49, 58)
		r.selects("down", 50)
		p.MoveBy(10)
		r.selects("out of what was held", 901)
		p.Bottom()
		r.expect("follow", 990, 999)
		if info := ansi.Strip(p.Info()); !strings.HasPrefix(info, "follow on") {
			t.Errorf("info is %q", info)
		}
	}
}

// A record that is higher than the screen can be scrolled to its end.
func TestTallRecord(t *testing.T) {
	r := hundred(t, 1000)
	var text []string
	for i := 100; i < 140; i++ {
		text = append(text, fmt.Sprintf("] line %d.", i))
	}
	r.log("ship-0", say(100, "say", strings.Join(text, "\n")), say(101, "say", "line 140."))
	r.lines(102)
	r.expect("follow", 131, 140)
	r.pane.MoveBy(-1)
	r.expect("selected", 100, 109)
	r.pane.PageBy(1)
	r.expect("half a page", 105, 114)
	r.pane.Wheel(-10)
	r.expect("up", 95, 104)
	r.pane.Wheel(100)
	r.expect("end", 131, 140)
}

func TestNextHit(t *testing.T) {
	r := hundred(t, 1000)
	p := r.pane
	p.NextHit(1) // without a pattern, NextHit does nothing
	if !p.follow {
		t.Error("no pattern, and it went somewhere")
	}
	if err := p.SetFilter("line .*5[.]$"); err != nil {
		t.Fatal(err)
	}
	p.context = AllLines
	p.NextHit(-1) // before anything was searched
	r.work()
	r.selects("last", 95)
	p.NextHit(-1)
	r.selects("before", 85)
	p.NextHit(1)
	p.NextHit(1)
	r.selects("no more", 95)
	p.Top()
	p.NextHit(-1)
	r.selects("none above", 0)
	p.NextHit(1)
	r.selects("first", 5)
	p.context = OnlyHits
	p.ToggleContext()
	r.screen(80, 10)
	p.NextHit(1)
	r.selects("with context", 15)
}

// A changed filter keeps the selected line selected, or one near it.
func TestFilterKeepsThePlace(t *testing.T) {
	r := hundred(t, 1000)
	p := r.pane
	p.MoveBy(-43)
	r.expect("paused", 56, 65)
	if err := p.SetFilter("line .*[05][.]$"); err != nil {
		t.Fatal(err)
	}
	r.screen(80, 10)
	r.selects("filtered", 60)
	p.ClearFilters()
	r.screen(80, 10)
	r.selects("all again", 60)
	if got := r.shown(); !slices.Contains(got, "60") {
		t.Errorf("shows %q", got)
	}
}

// Context is three lines of the same ship on each side, each line once.
func TestContext(t *testing.T) {
	r := board(t, 1000)
	for i := range 200 {
		text := fmt.Sprintf("line %d", i)
		if i%97 == 11 || i == 15 || i == 21 || i == 60 || i == 62 {
			text += " hit"
		}
		r.log(fmt.Sprintf("ship-%d", i%2), say(i, "say", text))
	}
	r.read()
	r.lines(200)
	if err := r.pane.SetFilter("hit"); err != nil {
		t.Fatal(err)
	}
	r.pane.ToggleContext()
	var got []string
	for _, row := range r.screen(80, 60) {
		_, text, _ := strings.Cut(strings.TrimRight(ansi.Strip(row), " "), "] line ")
		if text != "" {
			got = append(got, text)
		}
	}
	want := strings.Split("5,7,9,11 hit,13,15 hit,17,19,21 hit,23,25,27,54,56,58,60 hit,62 hit,64,66,68,102,104,106,108 hit,110,112,114", ",")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSave(t *testing.T) {
	r := hundred(t, 10) // Save also writes lines that the pane no longer holds
	if err := r.pane.SetFilter("LINE 1.[.]"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "logs.txt")
	if saved, err := r.pane.Save(r.dir, path)(t.Context()); err != nil || saved.Lines != 0 {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if _, err := r.pane.Save(r.dir, path)(t.Context()); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("wrote over a file: %v", err)
	}
	if err := r.pane.SetFilter("line 1.[.]"); err != nil {
		t.Fatal(err)
	}
	r.pane.ToggleShip(0)
	path += "2"
	saved, err := r.pane.Save(r.dir, path)(t.Context())
	if err != nil || saved.Lines != 10 || saved.Path != path {
		t.Errorf("saved %+v, %v", saved, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Count(string(raw), "\n") != 10 || !strings.HasPrefix(string(raw), "11:12:22 [ship-0] [Turn 3] line 10.\n") {
		t.Errorf("wrote %q, %v", raw, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.pane.Save(r.dir, path+"3")(ctx); err == nil {
		t.Error("saved though it was cancelled")
	}
	if _, err := os.Stat(path + "3"); err == nil {
		t.Error("a part of a file was left")
	}
}

// Lines whose text is not in memory are drawn once it was read.
func TestWordsAreFetched(t *testing.T) {
	r := board(t, 10_000)
	r.log("ship-0", numbered(0, 3000)...)
	r.read()
	r.lines(3000)
	r.screen(80, 10)
	r.pane.Top()
	if row := ansi.Strip(r.pane.View(80, 10)[0]); strings.TrimSpace(row) != "…" {
		t.Errorf("before it was read: %q", row)
	}
	if _, ok := r.pane.Selected(); ok {
		t.Error("a line can be copied that was not read")
	}
	if work := r.pane.PendingReads(); len(work) != 1 || len(r.pane.PendingReads()) != 0 {
		t.Fatalf("%d pieces of work", len(work))
	} else {
		r.pane.ApplyResult(work[0]())
	}
	r.expect("read", 0, 9)
}
