package term

// mainScreen holds the main screen while the alternate screen is shown, at its size of that time.
// Like in tmux, both share the scrollback, and only the main screen adds to it.
type mainScreen struct {
	lines      []*line
	cols, rows int
}

// alternate switches to the alternate or the main screen. With cursor set, it saves the cursor and
// pen, and restores them on the way back, even if the main screen is already shown.
func (s *Screen) alternate(on, cursor bool) {
	switch {
	case on && s.behind == nil:
		s.showAlternate(cursor)
	case !on:
		s.showMain(cursor)
	}
}

func (s *Screen) showAlternate(cursor bool) {
	if cursor {
		s.before.x, s.before.y, s.hasBefore = s.x, s.y, true
	}
	s.before.pen = s.pen
	s.unwrap(-1)
	s.behind = &mainScreen{s.lines, s.cols, s.rows}
	s.keeps = false
	if len(s.spare) == s.rows {
		s.lines, s.spare = s.spare, nil
		s.clearLines(0, s.rows, 0)
	} else {
		s.lines = s.blanks(s.rows)
	}
}

func (s *Screen) showMain(cursor bool) {
	cols, rows, m := s.cols, s.rows, s.behind
	if m != nil {
		s.resize(m.cols, m.rows, true)
	}
	if cursor && s.hasBefore {
		s.x, s.y, s.pen = s.before.x, min(s.before.y, s.rows-1), s.before.pen
	}
	if m != nil {
		s.spare, s.lines, s.behind = s.lines, m.lines, nil
		s.keeps = s.past.limit > 0
		s.resize(cols, rows, true)
		for _, l := range s.lines {
			s.changed(l)
		}
	}
	s.x, s.y = min(s.x, s.cols-1), min(s.y, s.rows-1)
}
