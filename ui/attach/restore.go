package attach

// sane takes back what a ship may have switched on in the captain's terminal, wherever its
// output broke off: it ends an unfinished sequence, then synchronized output, mouse and
// focus reports, bracketed paste, key modes, margins, colours, cursor, and the other screen.
const sane = "\x18\x1b\\\x1b[?2026l" +
	"\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l" +
	"\x1b[?2004l\x1b[>4;0m\x1b[<u\x1b[?1l\x1b>\x1b[?66l" +
	"\x1b[?5l\x1b[?6l\x1b[?7h\x1b[4l\x1b[20l\x1b[?69l\x1b[r\x1b(B\x0f\x1b[0m\x1b[0 q\x1b]112\x1b\\" +
	"\x1b[?25h\x1b[?1049l\x1b[?25h\x1b[0m\x1b[23;0;0t"
