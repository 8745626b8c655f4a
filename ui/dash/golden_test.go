package dash

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/screen"
)

// sizes are the layouts: one pane at a time, two above one, and four.
var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 50}}

func each(t *testing.T, name string, do func(t *testing.T, w, h int, name string)) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%s/%d", name, size[0]), func(t *testing.T) {
			do(t, size[0], size[1], fmt.Sprintf("%s-%d", name, size[0]))
		})
	}
}

func TestScreens(t *testing.T) {
	for name, pressed := range map[string][]string{
		"dashboard": nil,
		"tasks":     {"2", "v"},
		"logs":      {"3", "f"},
		"ship":      {"4"},
		"wall":      {"o"},
		"detail":    {"2", "enter"},
		"help":      {"?"},
		"palette":   {":", "s", "i", "n", "k"},
		"message":   {"m"},
		"sink":      {"j", "D"},
		"filter":    {"/", "w", "a", "i", "t"},
		"filtered":  {"/", "z", "z", "enter"},
		"marked":    {"space", "space"},
		"about":     {"I"},
		"needs":     {"!"},
	} {
		each(t, name, func(t *testing.T, w, h int, file string) {
			s := setStage(t, w, h, aBoard(t), someLogs(), nil)
			s.press(pressed...)
			if s.m.scope() == keys.InDetail {
				s.until("the detail is read", func() bool { return !strings.Contains(s.text(), "reading") })
			}
			s.golden(file)
		})
	}
}

// Data that is missing, not read yet, unreadable or old looks different each time, and the screen says what to do.
func TestStates(t *testing.T) {
	each(t, "none", func(t *testing.T, w, h int, file string) {
		s := setStage(t, w, h, nil, nil, func(o *Options) {
			o.Doctor = func(context.Context) string { return "✗ missing here: bubblewrap, a login of claude" }
		})
		s.until("the doctor has looked", func() bool { return strings.Contains(s.m.verdict, "missing") })
		s.golden(file)
	})
	each(t, "fresh", func(t *testing.T, w, h int, file string) {
		b := aBoard(t)
		b.Ships, b.Tasks, b.Phase, b.Head, b.Usage = nil, nil, fleet.Fitting, "", fleet.Usage{}
		setStage(t, w, h, b, nil, nil).golden(file)
	})
	each(t, "stale", func(t *testing.T, w, h int, file string) {
		b := aBoard(t)
		b.At = noon.Add(-5 * time.Minute)
		setStage(t, w, h, b, someLogs(), nil).golden(file)
	})
	each(t, "broken", func(t *testing.T, w, h int, file string) {
		s := setStage(t, w, h, aBoard(t), nil, nil)
		s.write(s.dir.BoardFile(), "not a board")
		s.until("it is noticed", func() bool { return s.m.v.Failed != "" })
		s.m.v.Failed = ""
		s.m.v.Agents.SetError("snapshot.json: it holds a string")
		s.golden(file)
	})
	each(t, "complete", func(t *testing.T, w, h int, file string) {
		b := aBoard(t)
		b.Phase, b.Since, b.Verify = fleet.Complete, noon.Add(-time.Minute), fleet.Verify{Runs: 1, Passed: true, Commit: b.Head, At: noon.Add(-time.Minute)}
		setStage(t, w, h, b, someLogs(), nil).golden(file)
	})
}

func TestTooSmall(t *testing.T) {
	for _, size := range [][2]int{{80, 9}, {29, 24}, {1, 1}, {0, 0}} {
		s := setStage(t, size[0], size[1], aBoard(t), nil, nil)
		rows, _ := s.m.draw()
		if len(rows) != size[1] {
			t.Errorf("%v: %d rows", size, len(rows))
		}
	}
	setStage(t, 60, 9, aBoard(t), nil, nil).shows("needs 30 columns and 10 rows")
}

// Every row is as wide as the screen, at every size.
func TestEveryRowFits(t *testing.T) {
	s := setStage(t, 100, 30, aBoard(t), someLogs(), nil)
	for w := screen.LeastWidth; w < 230; w += 7 {
		for h := screen.LeastHeight; h < 70; h += 9 {
			for _, p := range []place{home, full, onWall} {
				s.m.width, s.m.height, s.m.place = w, h, p
				rows, _ := s.m.draw()
				if len(rows) != h {
					t.Fatalf("%d×%d: %d rows", w, h, len(rows))
				}
				for y, row := range rows {
					if got := widthOf(row); got != w {
						t.Fatalf("%d×%d place %d: row %d has %d cells: %q", w, h, p, y, got, row)
					}
				}
			}
		}
	}
}
