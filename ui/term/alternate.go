package term

// mainScreen is the main screen while the alternate one is shown, at the size it had
// then. Like in tmux the two share the scrollback, to which only the main one adds.
type mainScreen struct {
	lines      []*line
	cols, rows int
}

// alternate shows the alternate screen or the main one. With cursor set, the cursor
// and its pen are saved and come back with the main screen, or even without it.
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
