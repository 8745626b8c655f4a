package agent

import "time"

// Box says how to type exact messages into a program's input line, and how to see on its screen what the line holds.
// Other programs get plain text.
type Box struct {
	// Paste returns what to paste so that the program takes it for a message with exactly this text, and not for a
	// command.
	Paste func(text string) string

	// Kept reports whether the prompt that the program reports to its hook is exactly the text.
	Kept func(prompt, text string) bool

	// Gist returns a hash that is the same for a text before and after the input line has changed it.
	Gist func(text string) string

	// Read returns what the input line holds.
	Read func(Screen) Input

	// Holds reports whether the input line holds exactly this paste.
	Holds func(s Screen, paste string) bool

	// Stash is the key that stashes a draft; the program restores the draft after the next message.
	Stash string

	// Stashed reports whether a draft is stashed, by ocaptain or by the captain.
	Stashed func(Screen) bool

	// Dismiss returns the key that closes a menu in place of the input line, if closing it decides nothing; "" for every
	// other screen.
	Dismiss func(Screen) string

	// Cancel is the key that interrupts the program while it works.
	Cancel string

	// Idle returns since when the program has been idle; the zero time if it works or this is unknown. The answer lags
	// behind.
	Idle func(home string, pid int) time.Time
}

// Screen is what a terminal shows, with its escape sequences, and where the cursor is.
type Screen struct {
	Lines []string
	X, Y  int
}

// Input is what an input line holds.
type Input int

// What an input line can hold.
const (
	NoInput    Input = iota // there is no input line: a dialog, a menu or something else is shown
	EmptyInput              // a message can be typed
	DraftInput              // somebody typed something
	OtherInput              // what is typed would be a command and not a message
)
