package dash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/search/discoveries"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/diffpage"
	"ocaptain/ui/dash/discoverypage"
	"ocaptain/ui/dash/keys"
)

// fullStage opens a dashboard that has more of everything than fits on its screen.
func fullStage(t *testing.T, way ...string) *stage {
	t.Helper()
	b := aBoard(t)
	b.Voyage.Kind = fleet.Session
	s := setStage(t, 200, 12, b, someLogs(), nil)
	s.measured("ship-0", "worker", "1", "large-5", 1200)
	s.press(way...)
	s.until("it is read", func() bool {
		return s.m.page == nil || s.m.diff() != nil || !strings.Contains(s.text(), "reading")
	})
	switch p := s.m.page.(type) {
	case *diffpage.Page:
		p.SetLines(twoFiles())
	case *discoverypage.Page:
		p.SetFound(discoveries.Found{Discoveries: []discoveries.Discovery{{File: "a.md"}, {File: "b.md"}}}, noon)
	}
	return s
}

// twoFiles returns a patch that is longer than a small screen.
func twoFiles() (p changes.Patch) {
	for i, name := range []string{"a.go", "b.go"} {
		p.Files = append(p.Files, changes.Place{File: changes.File{Path: name, Added: 30}, Line: i * 31})
		p.Lines = append(p.Lines, changes.Line{Kind: changes.Head, Text: name})
		for n := range 30 {
			p.Lines = append(p.Lines, changes.Line{Kind: changes.Added, Text: fmt.Sprint("line ", n)})
		}
	}
	return p
}

// does reports whether a key does something: the screen or its cursor changes, or something is begun.
func (s *stage) does(key string) bool {
	rows, cursor := s.m.draw()
	_, c := s.m.Update(keyNamed(s, key))
	after, now := s.m.draw()
	return c != nil || !slices.Equal(rows, after) || cursor != nil && now != nil && cursor.Position != now.Position
}

// Every key that the footer names has an effect in that scope, if only after another key.
func TestFooterNamesWhatKeysDo(t *testing.T) {
	for in, way := range ways {
		t.Run(string(in), func(t *testing.T) {
			s := fullStage(t, way...)
			named := []string{""}
			for _, g := range keys.Groups[in] {
				for _, k := range bindings.Group(g) {
					if s.m.shortOf(k) != "" && k.Possible(s.m) {
						named = append(named, k.Keys[0])
					}
				}
			}
			for _, key := range named[1:] {
				if !slices.ContainsFunc(named, func(before string) bool { return doesAfter(t, in, before, key) }) {
					t.Errorf("%s does nothing:\n%s", key, s.text())
				}
			}
		})
	}
}

// doesAfter reports whether a key has an effect in a scope, after another key that stays in the scope; "" is no other
// key.
func doesAfter(t *testing.T, in keys.Scope, before, key string) bool {
	t.Helper()
	s := fullStage(t, ways[in]...)
	if before != "" {
		s.press(before)
	}
	return s.m.scope() == in && len(s.m.dialogs) == 0 && s.m.filter == nil && s.does(key)
}

// dialogWays holds the keys that lead to dialogs, with a text for dialogs that take one.
var dialogWays = map[string][]string{
	"help": {"?"}, "palette": {":"}, "message": {"m", "x"}, "sink": {"D"}, "about": {"I"}, "needs": {"!", "!"}, "sail": {"s"}, "epic": {"2", "n", "x"},
	"budget": {":", "b", "u", "d", "g", "e", "t", "enter"}, "sail form": {"s", "down", "enter"}, "dispatch form": {"p", "x"},
}

// Every key that the footer names while a dialog is open has an effect; of several keys in one place, one must.
func TestFooterOfDialogs(t *testing.T) {
	for name, way := range dialogWays {
		t.Run(name, func(t *testing.T) {
			open := func() *stage {
				s := fullStage(t, way...)
				s.until("it has looked around", func() bool { return len(s.m.dialogs) == 1 && !strings.Contains(s.text(), "◌ looking") })
				return s
			}
			s := open()
			for _, pair := range s.m.dialogs[0].Keys() {
				if !slices.ContainsFunc(strings.Fields(pair[0]), func(key string) bool { return open().does(unshown.Replace(key)) }) {
					t.Errorf("%s (%s) does nothing:\n%s", pair[0], pair[1], s.text())
				}
			}
		})
	}
}

// unshown turns the footer's symbols into names of keys.
var unshown = strings.NewReplacer("↑", "up", "↓", "down", "←", "left", "→", "right", "ctrl-", "ctrl+")
