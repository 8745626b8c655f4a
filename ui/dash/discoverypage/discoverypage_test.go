package discoverypage

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/search/discoveries"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// someFound returns n discoveries, every second of which is stale and hostile.
func someFound(n int) discoveries.Found {
	f := discoveries.Found{Commit: "c", Skipped: make([]discoveries.Skipped, 1)}
	for i := range n {
		d := discoveries.Discovery{File: fmt.Sprintf("docs/discoveries/%d.md", i), Type: "convention", Text: fmt.Sprintf("number %d\nmore of it", i), At: noon.Add(time.Duration(-i) * time.Hour)}
		if d.Stale = i%2 == 1; d.Stale {
			d.Text, d.Task, d.Author, d.Files, d.Same = cleantest.Hostile+"\n"+cleantest.Hostile, cleantest.Hostile, cleantest.Hostile, []string{cleantest.Hostile}, []string{cleantest.Hostile}
		}
		f.Discoveries = append(f.Discoveries, d)
	}
	return f
}

// Every row is as wide as the screen, at every size, and contains only text.
func TestRowsFit(t *testing.T) {
	found := someFound(40)
	for i, p := range []*Page{
		{},
		{err: errors.New(cleantest.Hostile)},
		{found: &discoveries.Found{}},
		{found: &found, err: errors.New("x")},
		{found: &found, selected: 1, whole: true},
		{found: &found, selected: 39},
	} {
		for width := 28; width < 220; width += 3 {
			rows := p.View(width, 20)
			if len(rows) != 20 {
				t.Fatalf("page %d: %d rows", i, len(rows))
			}
			for _, row := range rows {
				if ansi.StringWidth(row) != width || strings.ContainsAny(ansi.Strip(row), "\x1b\u202e\n\t") {
					t.Fatalf("page %d at %d: %d cells: %q", i, width, ansi.StringWidth(row), row)
				}
			}
		}
	}
}

// The captain selects a discovery, reads it and leaves it; new data keeps it selected.
func TestWalk(t *testing.T) {
	p := &Page{}
	text := func() string { return ansi.Strip(strings.Join(p.View(80, 8), "\n")) }
	p.ScrollBy(1)
	if p.SetFound(someFound(30), noon); p.Info() != "30, 15 stale, 1 file skipped" || strings.Contains(text(), "more of it") {
		t.Errorf("%s\n%s", p.Info(), text())
	}
	p.ScrollBy(2)
	p.ScrollBy(2)
	p.Toggle()
	if got := text(); p.Title() != "docs/discoveries/4.md" || !strings.Contains(got, "4h00m ago") || !strings.Contains(got, "number 4") || !strings.Contains(got, "more of it") {
		t.Errorf("%s\n%s", p.Title(), got)
	}
	f := someFound(30)
	f.Discoveries = append(make([]discoveries.Discovery, 3), f.Discoveries...)
	if p.SetFound(f, noon); p.Title() != "docs/discoveries/4.md" {
		t.Errorf("it was read again: %s", p.Title())
	}
	f.Discoveries = f.Discoveries[3+5:]
	if p.SetFound(f, noon); p.Title() != "Discoveries" {
		t.Errorf("it is gone: %s", p.Title())
	}
	p.Bottom()
	if got := text(); strings.Contains(got, "number 4 ") || p.discovery().File != "docs/discoveries/29.md" {
		t.Errorf("at the bottom:\n%s", got)
	}
	p.Toggle()
	if !p.Close() || p.Close() {
		t.Error("it is not closed once")
	}
	p.Top()
	if p.discovery().File != "docs/discoveries/5.md" {
		t.Errorf("at the top: %s", p.discovery().File)
	}
	if p.SetFound(discoveries.Found{}, noon); !p.IsEmpty() {
		t.Error("there is none, and one is selected")
	}
	p.Bottom()
	text()
}
