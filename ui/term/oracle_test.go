package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/clean"
)

// trial is output for tmux and a Screen; the size changes between chunks.
type trial struct {
	name   string
	chunks []chunk
}

type chunk struct {
	cols, rows int // to resize to before data is written, or 0
	data       []byte
}

func one(name, data string) trial {
	return trial{name, []chunk{{data: []byte(data)}}}
}

// verdict says where a Screen differs from tmux.
type verdict struct {
	name  string
	diffs []string
}

// reveal makes tmux count every column of every row as written, so that capture-pane shows
// backgrounds from erasing. It overwrites the last column.
func reveal(rows int) string {
	var b strings.Builder
	b.WriteString("\x1b[r\x1b[?6l\x1b[4l\x1b[m")
	for y := range rows {
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[@\x1b[P", y+1)
	}
	return b.String()
}

// batch is how many panes are open at the same time.
const batch = 20

// judge runs trials and returns a verdict of each.
func (m *tmux) judge(trials []trial) []verdict {
	m.t.Helper()
	var verdicts []verdict
	for group := range slices.Chunk(trials, batch) {
		panes := m.panes(len(group))
		screens := make([]*Screen, len(group))
		found := make([]verdict, len(group))
		for i, tr := range group {
			screens[i] = New(testCols, testRows, 1000)
			found[i].name = tr.name
			m.perform(panes[i], screens[i], tr, &found[i])
		}
		m.compare(panes, screens, found)
		for i, p := range panes {
			wrote, _, _ := p.feed([]byte(reveal(screens[i].rows)))
			_, _ = screens[i].Write(wrote)
		}
		m.compareCells("after erasing", panes, screens, found)
		var kill []string
		for _, p := range panes {
			p.close()
			kill = append(kill, "kill-pane", "-t", p.id, ";")
		}
		m.run(kill[:len(kill)-1]...)
		verdicts = append(verdicts, found...)
	}
	return verdicts
}

// perform gives a trial to a pane and to a Screen.
func (m *tmux) perform(p *pane, s *Screen, tr trial, v *verdict) {
	m.t.Helper()
	wrote, _, _ := p.feed([]byte("\x1b]2;untitled\x07"))
	_, _ = s.Write(wrote)
	for _, c := range tr.chunks {
		if c.cols > 0 {
			m.run("resize-window", "-t", p.id, "-x", fmt.Sprint(c.cols), "-y", fmt.Sprint(c.rows))
			s.Resize(c.cols, c.rows)
		}
		wrote, x, y := p.feed(c.data)
		_, _ = s.Write(wrote)
		if s.x != x || s.y != y {
			v.diffs = append(v.diffs, fmt.Sprintf("cursor is %d,%d and should be %d,%d", s.x, s.y, x, y))
		}
	}
}

const (
	separator = "\x01end\x01"
	flags     = "#{alternate_on} #{cursor_flag} #{keypad_cursor_flag} #{keypad_flag} #{mouse_standard_flag}" +
		" #{mouse_button_flag} #{mouse_all_flag} #{mouse_sgr_flag} #{insert_flag} #{wrap_flag} #{origin_flag}" +
		" #{scroll_region_upper} #{scroll_region_lower}|#{pane_tabs}|#{pane_title}"
)

// flags describes a Screen as tmux describes a pane.
func (s *Screen) flags() string {
	b := func(on bool) string { return map[bool]string{false: "0", true: "1"}[on] }
	m := s.Modes()
	var tabs []string
	for x, set := range s.tabs {
		if set {
			tabs = append(tabs, fmt.Sprint(x))
		}
	}
	return strings.Join([]string{
		b(m.AltScreen), b(s.Cursor().Visible), b(m.AppCursor), b(m.AppKeypad), b(m.Mouse == NormalMouse),
		b(m.Mouse == ButtonMouse), b(m.Mouse == AnyMouse), b(m.MouseSGR), b(s.insert), b(!s.noWrap), b(s.origin),
		fmt.Sprint(s.top), fmt.Sprint(s.bottom),
	}, " ") + "|" + strings.Join(tabs, ",") + "|" + s.title
}

// compare compares cells, modes, titles, and which rows wrap.
func (m *tmux) compare(panes []*pane, screens []*Screen, found []verdict) {
	m.t.Helper()
	m.compareCells("cells", panes, screens, found)
	var args []string
	for _, p := range panes {
		args = append(args, "display-message", "-p", "-t", p.id, flags+separator, ";", "capture-pane", "-peJ", "-t", p.id, ";",
			"display-message", "-p", separator, ";")
	}
	parts := strings.Split(m.run(args[:len(args)-1]...), separator+"\n")
	for i, s := range screens {
		if got, want := s.flags(), cleanTitle(parts[2*i]); got != want {
			found[i].diffs = append(found[i].diffs, fmt.Sprintf("state\n  is        %s\n  should be %s", got, want))
		}
		var want strings.Builder
		for _, row := range capture(m.t, parts[2*i+1]) {
			want.WriteString(row.text() + "\n")
		}
		if got, want := s.texts(), strings.TrimRight(want.String(), "\n"); got != want {
			found[i].diffs = append(found[i].diffs, fmt.Sprintf("texts\n  are       %q\n  should be %q", got, want))
		}
	}
}

// cleanTitle makes the title at the end of flags safe to print.
func cleanTitle(s string) string {
	i := strings.LastIndexByte(s, '|') + 1
	return s[:i] + clean.Line(s[i:])
}

// texts returns the screen without blanks, with wrapped lines joined.
func (s *Screen) texts() string {
	var b strings.Builder
	for y, l := range s.lines {
		b.WriteString(s.glyphs(y).text())
		if !l.wrapped {
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// compareCells compares the screens cell by cell.
func (m *tmux) compareCells(when string, panes []*pane, screens []*Screen, found []verdict) {
	m.t.Helper()
	var args []string
	for _, p := range panes {
		args = append(args, "capture-pane", "-peN", "-t", p.id, ";", "display-message", "-p", separator, ";")
	}
	parts := strings.Split(m.run(args[:len(args)-1]...), separator+"\n")
	for i, s := range screens {
		rows := capture(m.t, parts[i])
		if len(rows) != s.rows {
			found[i].diffs = append(found[i].diffs, fmt.Sprintf("%s: %d rows and should be %d", when, s.rows, len(rows)))
			continue
		}
		for y, want := range rows {
			if got := s.glyphs(y); !slices.Equal(got, want) {
				found[i].diffs = append(found[i].diffs, fmt.Sprintf("%s: row %d\n  is        %v\n  should be %v", when, y, got, want))
				break
			}
		}
	}
}

// complain reports the first trials that differ, and fails when there are more than allowed.
func complain(t *testing.T, verdicts []verdict, allowed int) {
	t.Helper()
	var bad []string
	for _, v := range verdicts {
		if len(v.diffs) > 0 {
			bad = append(bad, v.name+": "+strings.Join(v.diffs[:min(3, len(v.diffs))], "\n"))
		}
	}
	t.Logf("%d of %d equal", len(verdicts)-len(bad), len(verdicts))
	if len(bad) > allowed {
		t.Error(strings.Join(bad[:min(10, len(bad))], "\n"))
	}
}
