package term

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/tasks/eventually"
)

// client is a tmux attach whose output the test reads.
type client struct {
	m *tmux
	*viewer
	marks rune // how many marks the test has written to see that the client is up to date
}

// features are those of a terminal that can show everything a pane can hold.
const features = "256,RGB,usstyle,overline,strikethrough,cstyle,ccolour,bpaste,focus,mouse,title"

func (m *tmux) attach(cols, rows int) *client {
	m.t.Helper()
	cmd := m.command()
	cmd.Args = slices.Insert(cmd.Args, 1, "-T", features)
	cmd.Args = append(cmd.Args, "attach", "-t", "s", "-f", "read-only,ignore-size")
	return &client{m: m, viewer: view(m.t, cmd, cols, rows)}
}

// resize changes the size of the client's terminal and of p's window.
func (c *client) resize(p *pane, cols, rows int) {
	c.m.t.Helper()
	c.viewer.resize(cols, rows)
	c.m.run("resize-window", "-t", p.id, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows))
}

// equals waits until the client shows the pane's content.
func (c *client) equals(p *pane, what string) {
	c.m.t.Helper()
	var rows []glyphs
	var x, y, visible, tries int
	eventually.Succeeds(c.m.t, what+" is shown as it is in the pane", func() error {
		if tries%200 == 0 { // the program may not have read the mark
			rows, x, y, visible = c.inside(p)
		}
		tries++
		if diff := c.compare(rows, x, y, visible); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

// inside returns what a pane shows now, and its cursor.
func (c *client) inside(p *pane) (rows []glyphs, x, y, visible int) {
	c.m.t.Helper()
	out := c.m.run("capture-pane", "-peN", "-t", p.id, ";", "display-message", "-p", "-t", p.id, "#{cursor_x} #{cursor_y} #{cursor_flag}")
	end := strings.LastIndexByte(out[:len(out)-1], '\n') + 1
	if _, err := fmt.Sscan(out[end:], &x, &y, &visible); err != nil {
		c.m.t.Fatal(err)
	}
	return capture(c.m.t, out[:end]), x, y, visible
}

func (c *client) compare(rows []glyphs, x, y, visible int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.screen
	for i, want := range rows {
		got, want := visibly(s.painted(i)), visibly(want)
		if len(want) < len(got) && strings.TrimSpace(got[len(want):].text()) == "" {
			got = got[:len(want)] // the capture lacks background of columns that nothing was written to
		}
		if !slices.Equal(got, want) {
			return fmt.Sprintf("row %d\n  is        %v\n  should be %v", i, got, want)
		}
	}
	cur := s.Cursor()
	if cur.Visible != (visible == 1) {
		return fmt.Sprintf("cursor is visible %v", cur.Visible)
	}
	if cur.Visible && (cur.X != min(x, s.cols-1) || cur.Y != y) {
		return fmt.Sprintf("cursor is %d,%d and should be %d,%d", cur.X, cur.Y, x, y)
	}
	return ""
}

// painted is glyphs with all columns of the row.
func (s *Screen) painted(y int) glyphs {
	var out glyphs
	for x := range s.cols {
		c := s.lines[y].cellAt(x)
		if c.text&pad != 0 {
			continue
		}
		for _, r := range string(s.lines[y].cellText(c)) {
			out = append(out, glyph{r, c.toStyle()})
		}
	}
	return out
}

// visibly drops what tmux changes when it draws for a client: colours of underlines, and invisible
// styles of blanks.
func visibly(g glyphs) glyphs {
	g = slices.Clone(g)
	for i := range g {
		st := &g[i].st
		st.UnderlineColor, st.Fg, st.Bg = 0, sixteen(st.Fg), sixteen(st.Bg)
		if g[i].r == ' ' {
			g[i].st = ofBlank(g[i].st)
		}
	}
	return g.trim()
}

// sixteen returns a color of the palette's first sixteen as tmux sends it to a terminal.
func sixteen(c sgr.Color) sgr.Color {
	if c.Kind() == sgr.IndexedColor && c.Index() < 16 {
		return sgr.Basic(int(c.Index()))
	}
	return c
}

// notShown are cases in which tmux draws for a client something other than it keeps, or draws it so
// that no terminal could show what it keeps.
var notShown = map[string]bool{
	"insert mode at the end":      true, // tmux inserts where the character was before it wrapped
	"insert mode wraps":           true,
	"combining on line drawing":   true, // tmux sends the letter that stands for the line
	"emoji, joined to too much":   true, // tmux sends the first part of a character too long to keep
	"wide, erased and written on": true, // tmux sends half characters
	"all at once":                 true, // tmux erases the first character that wraps at the bottom, unless it is ASCII
}

// A Screen shows tmux's output for a client as tmux shows it in a pane of its own.
func TestWhatAClientGetsIsAsInTmux(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	c := m.attach(testCols, testRows)
	var trials []trial
	for seed := range uint64(30) {
		tr := generated("shown", freshSeed+seed, 100)
		trials = append(trials, trial{tr.name, c.record(tr)})
	}
	complain(t, m.judge(trials), 0)
}

// record returns what the client gets while a pane gets a trial, with the trial's changes of size.
func (c *client) record(tr trial) []chunk {
	c.m.t.Helper()
	p := c.m.panes(1)[0]
	defer p.close()
	c.take()
	c.m.run("select-window", "-t", p.id)
	var got []chunk
	for _, ch := range tr.chunks {
		if ch.cols > 0 {
			c.resize(p, ch.cols, ch.rows)
		}
		for part := range slices.Chunk(ch.data, 64) {
			p.feed(part)
		}
		c.marks++
		sign := string('①' + c.marks%20)
		p.feed([]byte("\x1b[r\x1b[H\x1b[m\r" + sign))
		c.until(sign)
		got = append(got, chunk{ch.cols, ch.rows, c.take()})
	}
	c.resize(p, testCols, testRows)
	c.m.run("kill-window", "-t", p.id)
	return got
}

// judge fails when the client's output shows something other than the pane does after a trial.
func (c *client) judge(tr trial) {
	c.m.t.Helper()
	p := c.m.panes(1)[0]
	defer p.close()
	c.m.run("select-window", "-t", p.id)
	for _, ch := range tr.chunks {
		if ch.cols > 0 {
			c.resize(p, ch.cols, ch.rows)
		}
		for part := range slices.Chunk(ch.data, 64) {
			p.feed(part)
		}
		c.equals(p, tr.name)
	}
	cols, rows := c.screen.Size()
	p.feed([]byte(reveal(rows)))
	c.equals(p, tr.name)
	if cols != testCols || rows != testRows {
		c.resize(p, testCols, testRows)
	}
	c.m.run("kill-window", "-t", p.id)
}
