package term

import (
	"ocaptain/ui/term/sgr"
)

// Shape is the shape of a cursor.
type Shape uint8

// The shapes.
const (
	DefaultShape Shape = iota
	Block
	Bar
	UnderlineShape
)

// Cursor is the cursor's position and look.
type Cursor struct {
	X, Y    int
	Visible bool
	Shape   Shape
	Blink   bool
}

// Cursor returns the cursor; it is always on the screen.
func (s *Screen) Cursor() Cursor {
	return Cursor{min(s.x, s.cols-1), s.y, !s.hidden, s.shape, s.blink}
}

// Mouse says which mouse events the program wants.
type Mouse uint8

// The kinds of mouse reports.
const (
	NoMouse     Mouse = iota
	X10Mouse          // presses
	NormalMouse       // presses and releases
	ButtonMouse       // and moves with a button down
	AnyMouse          // and all other moves
)

// Modes are the modes that the program has set.
type Modes struct {
	AltScreen      bool
	AppCursor      bool // cursor keys send the sequences of application mode
	AppKeypad      bool
	BracketedPaste bool
	Focus          bool // gaining and losing the focus is reported
	Mouse          Mouse
	MouseSGR       bool // mouse reports have the form of mode 1006
}

// Modes returns the modes that the program has set.
func (s *Screen) Modes() Modes {
	m := s.modes
	m.AltScreen = s.behind != nil
	return m
}

// setPrivateMode executes CSI ? h and CSI ? l.
func (s *Screen) setPrivateMode(mode int, on bool) {
	switch mode {
	case 1:
		s.modes.AppCursor = on
	case 3:
		s.moveTo(0, 0)
		s.clearAll(sgr.Color(s.pen.bg))
	case 6:
		s.origin = on
		s.moveTo(0, 0)
	case 7:
		s.noWrap = !on
	case 12:
		s.blink = on
	case 25:
		s.hidden = !on
	case 9:
		s.setMouse(X10Mouse, on)
	case 1000:
		s.setMouse(NormalMouse, on)
	case 1001:
		if !on {
			s.modes.Mouse = NoMouse
		}
	case 1002:
		s.setMouse(ButtonMouse, on)
	case 1003:
		s.setMouse(AnyMouse, on)
	case 1004:
		s.modes.Focus = on
	case 1006:
		s.modes.MouseSGR = on
	case 47, 1047:
		s.alternate(on, false)
	case 1049:
		s.alternate(on, true)
	case 2004:
		s.modes.BracketedPaste = on
	}
}

func (s *Screen) setMouse(m Mouse, on bool) {
	if !on {
		m = NoMouse
	}
	s.modes.Mouse = m
}

// setShape executes DECSCUSR.
func (s *Screen) setShape(n int) {
	switch n {
	case 0:
		s.shape = DefaultShape
		return
	case 1, 2:
		s.shape = Block
	case 3, 4:
		s.shape = UnderlineShape
	case 5, 6:
		s.shape = Bar
	default:
		return
	}
	s.blink = n%2 == 1
}

// resetTerminal executes RIS, but stays on the alternate screen.
func (s *Screen) resetTerminal() {
	s.pen, s.charsets, s.shift, s.saved = cell{}, [2]bool{}, 0, savedCursor{origin: s.saved.origin}
	s.tabs = newTabs(s.cols)
	if s.rows > 1 {
		s.top, s.bottom = 0, s.rows-1
	}
	s.insert, s.noWrap, s.origin, s.hidden, s.blink = false, false, false, false, false
	s.modes = Modes{}
	s.clearAll(0)
	s.x, s.y = 0, 0
}
