package attention

import (
	"strings"
	"testing"

	"ocaptain/ui/term"
)

// A known terminal is notified once, any other in all ways. No part is printed, whatever the text.
func TestBell(t *testing.T) {
	for is, ways := range map[string][]string{
		"TERM=xterm-kitty":         {"99"},
		"TERM=foot":                {"99"},
		"TERM=xterm-ghostty":       {"9"},
		"TERM_PROGRAM=WezTerm":     {"9"},
		"TERM=rxvt-unicode":        {"777"},
		"TERM=xterm-256color":      {"9", "777", "99"},
		"TERM=tmux-256color":       {"9", "777", "99"},
		"TERM_PROGRAM=tmux":        {"9", "777", "99"},
		"TERM_PROGRAM=Apple_Termi": {"9", "777", "99"},
	} {
		name, value, _ := strings.Cut(is, "=")
		bell := Bell("ship-1 asks you; rm\x1b]0;x\a -rf\nbuild\x1b\\", func(v string) string {
			if v == name {
				return value
			}
			return ""
		})
		var got []string
		for _, part := range strings.Split(bell, "\x1b]")[1:] {
			way, _, _ := strings.Cut(part, ";")
			got = append(got, way)
		}
		if strings.Join(got, " ") != strings.Join(ways, " ") {
			t.Errorf("%s gets %v, want %v: %q", is, got, ways, bell)
		}
		s := term.New(40, 2, 0)
		_, _ = s.Write([]byte("a" + bell + "b"))
		if first, second, third := s.CellAt(0, 0), s.CellAt(1, 0), s.CellAt(2, 0); first.Text != "a" || second.Text != "b" || strings.TrimSpace(third.Text) != "" {
			t.Errorf("%s: a terminal shows %q %q %q of %q", is, first.Text, second.Text, third.Text, bell)
		}
	}
}
