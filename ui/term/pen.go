package term

import "ocaptain/ui/term/sgr"

// Pen returns the style of the next character.
func (s *Screen) Pen() sgr.Style { return s.pen.toStyle() }

// IsPlain reports whether a program may move the cursor, write text, and put cursor and pen back, without an effect
// on the output that follows. Otherwise it would end a pending wrap or a joined character, or its text would be
// moved, shifted or drawn as lines.
func (s *Screen) IsPlain() bool {
	return s.x < s.cols && !s.joining && !s.insert && !s.origin && !s.charsets[s.shift]
}
