package dialog

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// However much would be lost, and however small the screen is, the answer and the whole name to type are visible.
func TestAnswerStaysOnTheScreen(t *testing.T) {
	var lost []string
	for i := range 40 {
		lost = append(lost, fmt.Sprintf("ship-%d has 12 files that are not merged, for task %d", i, i))
	}
	for _, size := range [][2]int{{30, 8}, {40, 9}, {80, 22}, {200, 58}} {
		for _, typed := range []string{"", "voyage-3f9a1c02b7d4"} {
			c := NewConfirm("Sink 40 ships?", lost, typed, func() tea.Cmd { return nil })
			rows, cursor := c.View(size[0], size[1])
			if len(rows) > size[1] {
				t.Errorf("%v %q: %d rows", size, typed, len(rows))
			}
			text := ansi.Strip(strings.Join(rows, "\n"))
			switch {
			case typed == "" && !strings.Contains(text, "Yes"):
				t.Errorf("%v: no answer:\n%s", size, text)
			case typed != "" && (cursor == nil || cursor.Y >= len(rows)-1 || !strings.Contains(text, "3f9a1c02b7d4")):
				t.Errorf("%v: no name or no cursor:\n%s", size, text)
			}
			if size[1] < len(lost) && !strings.Contains(text, "more rows") {
				t.Errorf("%v: that there is more is not told:\n%s", size, text)
			}
			for _, r := range rows {
				if w := ansi.StringWidth(r); w > size[0] {
					t.Errorf("%v: a row of %d", size, w)
				}
			}
		}
	}
}

// A question shows names as text, whatever they contain.
func TestQuestionIsClean(t *testing.T) {
	c := NewConfirm("Take it from \x1b]52;c;eA==\aship\x1b[8m?", []string{"lost: \x1b[2J\rall"}, "", func() tea.Cmd { return nil })
	rows, _ := c.View(80, 20)
	text := strings.Join(rows, "\n")
	for _, bad := range []string{"\x1b]52", "\x1b[8m", "\x1b[2J", "\r", "\a"} {
		if strings.Contains(text, bad) {
			t.Errorf("it draws %q", bad)
		}
	}
}

// A wrong name is reported until the captain types on.
func TestWrongName(t *testing.T) {
	yes := false
	c := NewConfirm("Sink ship-0?", []string{"it has work"}, "ship-0", func() tea.Cmd { yes = true; return nil })
	has := func(text string) bool {
		rows, _ := c.View(80, 24)
		return strings.Contains(ansi.Strip(strings.Join(rows, "\n")), text)
	}
	press := func(keys ...rune) (done bool) {
		for _, k := range keys {
			done, _ = c.Update(tea.KeyPressMsg{Code: k, Text: strings.Trim(string(k), "\r")})
		}
		return done
	}
	if press('s', 'h', tea.KeyEnter) || !has("that is not ship-0") || yes {
		t.Error("a wrong name is taken, or not told")
	}
	if press('i'); has("that is not") {
		t.Error("it is told although he types on")
	}
	if !press('p', '-', '0', tea.KeyEnter) || !yes {
		t.Error("the right name is not taken")
	}
}
