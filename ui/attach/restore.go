package attach

// save returns sequences that save the terminal's title and screen: the agent gets the alternate
// screen and can't leave it. They also set a title that says how to leave; before a login shell a
// line says so too.
func (f *filter) save() string {
	leave := leaveText(f.ship, f.login)
	titles := "\x1b[22;0;0t\x1b]2;" + leave + "\x07"
	if f.login {
		return titles + leave + "\r\n"
	}
	f.alt = true
	return titles + "\x1b[?1049h"
}

// The sequences that undo what a ship may have switched on, in the order of writing: synchronized
// output; reports of the mouse, the focus, pastes, the theme and the size; levels and modes of
// keys; links, charsets, attributes, the cursor.
const (
	reports = "\x1b[?2026l" +
		"\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"
	popAll = "\x1b[<99u\x1b[=0u"
	levels = "\x1b[>4;0m\x1b[>4m" + popAll
	pen    = "\x1b[?1l\x1b>\x1b[?66l\x1b[?5l\x1b[?7h\x1b[4l" +
		"\x1b]8;;\x1b\\\x1b]112\x1b\\\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0m\x1b[0 q\x1b[?25h"
	// Setting margins moves the cursor.
	margins = "\x1b7\x1b[?69l\x1b[r\x1b8"
	colours = "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\"
	title   = "\x1b[23;0;0t"
)

// restoreTerminal returns the sequences that undo what a ship may have switched on in the captain's terminal.
// The alternate screen has its own key levels, pen and cursor. Colours are reset only if the ship may have
// changed them: the captain may have set them with the same sequences.
func (f *filter) restoreTerminal() string {
	s := reports + levels + pen
	if f.alt {
		s += margins + "\x1b[?1049l" + levels + pen
	}
	s += margins
	if f.colours {
		s += colours
	}
	return s + title
}
