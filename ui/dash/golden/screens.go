package golden

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Exact fails the test unless rows are exactly height rows of exactly width cells, without control characters other
// than styles.
func Exact(t testing.TB, rows []string, width, height int) {
	t.Helper()
	if len(rows) != height {
		t.Fatalf("%d rows, want %d", len(rows), height)
	}
	for y, row := range rows {
		if w := ansi.StringWidth(row); w != width {
			t.Fatalf("row %d is %d cells wide, want %d: %q", y, w, width, row)
		}
		Harmless(t, row)
	}
}

// Harmless fails the test when a row contains an escape sequence that is not a style.
func Harmless(t testing.TB, row string) {
	t.Helper()
	rest := row
	for rest != "" {
		if rest[0] == '\x1b' {
			end := 2
			for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == ';' || rest[end] == ':') {
				end++
			}
			if len(rest) <= end || rest[1] != '[' || rest[end] != 'm' {
				t.Fatalf("an escape sequence that is no style: %q", row)
			}
			rest = rest[end+1:]
			continue
		}
		if rest[0] < ' ' || rest[0] == 0x7f {
			t.Fatalf("a control character: %q", row)
		}
		rest = rest[1:]
	}
}

// Plain returns the text of rows, without styles.
func Plain(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

// View is a part of the screen that draws itself.
type View interface {
	View(width, height int) []string
	Title() string
	Info() string
}

// Screens compares views with their golden files. Each view must fill every size exactly, differ from the others
// without colour, and keep nothing of another theme.
func Screens(t *testing.T, states map[string]func() View) {
	t.Helper()
	t.Cleanup(func() { theme.Activate(theme.Terminal) })
	seen := map[string]string{}
	for name, make := range states {
		for _, width := range []int{60, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				s := make()
				const height = 24
				w, h := pane.InnerSize(width, height)
				body := s.View(w, h)
				Exact(t, body, w, h)
				box := pane.Box{Title: s.Title(), Info: s.Info(), Focused: true}
				Screen(t, fmt.Sprintf("%s-%d", name, width), strings.Join(box.Draw(body, width, height), "\n"), width, height)
			})
		}
		text := Plain(make().View(80, 20))
		if other, same := seen[text]; same {
			t.Errorf("%s and %s look the same", name, other)
		}
		seen[text] = name
		t.Run(name, func(t *testing.T) {
			everySize(t, make())
			everyTheme(t, make)
		})
	}
}

func everySize(t *testing.T, s View) {
	for _, width := range []int{0, 1, 2, 5, 9, 17, 30, 44, 59, 61, 300} {
		for _, height := range []int{0, 1, 2, 3, 4, 7, 12, 60} {
			Exact(t, s.View(width, height), width, height)
		}
	}
}

func everyTheme(t *testing.T, make func() View) {
	defer theme.Activate(theme.Terminal)
	theme.Activate(theme.Dark)
	s := make()
	dark := s.View(100, 40)
	for _, other := range []theme.Name{theme.Light, theme.Contrast, theme.Mono} {
		theme.Activate(other)
		kept := s.View(100, 40)
		if !slices.Equal(kept, make().View(100, 40)) {
			t.Errorf("keeps colours of another theme in %s", other)
		}
		if other == theme.Mono && Plain(kept) != Plain(dark) {
			t.Error("says less without colour")
		}
	}
}
