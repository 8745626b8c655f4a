package live

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/term"
)

// crop is the part of a window that a view shows: the last rows in use, so that the part stays in
// place while an agent writes, and always the cursor.
type crop struct {
	x, y    int
	changes uint64 // of the screen, when used was computed
	screen  *term.Screen
	used    int // rows down to the last non-empty row
	part    bool
	cols    int
	rows    int
}

// choose chooses the part to show.
func (c *crop) choose(s *term.Screen, width, height int) {
	c.cols, c.rows = s.Size()
	if c.screen != s || c.changes != s.Changes() {
		c.screen, c.changes = s, s.Changes()
		c.used = usedRows(s, c.cols, c.rows)
	}
	cur := s.Cursor()
	last := c.used
	if cur.Visible {
		last = max(last, cur.Y+1)
	}
	c.y = max(0, min(last, c.rows)-height)
	if cur.Visible && cur.Y < c.y {
		// Move by half a view, which also shows rows above the cursor.
		half := max(1, height/2)
		c.y = max(0, cur.Y/half*half-(height-half))
	}
	switch {
	case c.cols <= width:
		c.x = 0
	case cur.Visible && cur.X >= c.x+width, cur.Visible && cur.X < c.x:
		// Move by half a view, so that not every key moves the part.
		half := max(1, width/2)
		c.x = min(max(0, cur.X-width+1+half)/half*half, c.cols-width)
	case !cur.Visible:
		c.x = 0
	}
	c.x = max(0, min(c.x, c.cols-width))
	c.part = c.cols > width || c.rows > height
}

// cropText says that only a part is shown.
func (c *crop) cropText() string {
	if !c.part {
		return ""
	}
	return theme.Dim.Render(fmt.Sprintf(" · part of %d×%d", c.cols, c.rows))
}

// usedRows returns the number of rows down to the last non-empty row.
func usedRows(s *term.Screen, cols, rows int) int {
	var buf []byte
	for y := rows - 1; y >= 0; y-- {
		buf = s.AppendRow(buf[:0], y, 0, cols)
		for _, b := range buf {
			if b != ' ' {
				return y + 1
			}
		}
	}
	return 0
}

// rowCache caches drawn rows until they change.
type rowCache struct {
	screen   *term.Screen
	from, to int
	dim      bool
	rows     []cached
	buf      []byte
}

type cached struct {
	version uint64
	text    string
	valid   bool
}

// picture draws the part of the screen that fits, dimmed if old.
func (p *Pane) picture(s *term.Screen, width, height int, old bool) []string {
	p.crop.choose(s, width, height)
	from, to := p.crop.x, min(p.crop.x+width, p.crop.cols)
	c := &p.rows
	if c.screen != s || c.from != from || c.to != to || c.dim != old || len(c.rows) != p.crop.rows {
		c.screen, c.from, c.to, c.dim = s, from, to, old
		c.rows = make([]cached, p.crop.rows)
	}
	pad := strings.Repeat(" ", width-(to-from))
	out := make([]string, height)
	for i := range out {
		y := p.crop.y + i
		if y >= p.crop.rows {
			out[i] = strings.Repeat(" ", width)
			continue
		}
		row := &c.rows[y]
		if v := s.Version(y); !row.valid || row.version != v {
			c.buf = s.AppendRow(c.buf[:0], y, from, to)
			text := string(c.buf)
			if old {
				text = theme.Dim.Render(ansi.Strip(text))
			}
			*row = cached{v, text, true}
		}
		out[i] = row.text + pad
	}
	return out
}

// centred centres a line.
func centred(line string, width int) string {
	line = ansi.Truncate(line, width, "…")
	return pane.Fit(strings.Repeat(" ", max(0, (width-ansi.StringWidth(line))/2))+line, width)
}
