package agent

import "time"

// Box is how messages get into a program's input line as they were written, and how
// to see on its screen what is in that line. Programs without one are typed to plainly.
type Box struct {
	// Paste returns what to paste so that the program takes it for exactly this text
	// and for no command.
	Paste func(text string) string

	// Kept reports whether the prompt that the program tells its hook of is exactly
	// the text.
	Kept func(prompt, text string) bool

	// Gist names a text whatever the input line may change in it.
	Gist func(text string) string

	// Read tells what is in the input line.
	Read func(Screen) Input

	// Holds reports whether what is in the input line is this paste and nothing else.
	Holds func(s Screen, paste string) bool

	// Stash is the key that puts a draft aside; it comes back soon after the next message.
	Stash string

	// Stashed reports whether a draft is put aside, by this key or by the captain.
	Stashed func(Screen) bool

	// Dismiss returns the key that closes what is shown instead of the input line, where that
	// decides nothing; "" for every other screen.
	Dismiss func(Screen) string

	// Cancel is the key that interrupts the program when it works.
	Cancel string

	// Idle returns since when the program does nothing, the zero time when it works or
	// nothing is known. It tells with a delay.
	Idle func(home string, pid int) time.Time
}

// Screen is what a terminal shows, with its escape sequences, and where the cursor is.
type Screen struct {
	Lines []string
	X, Y  int
}

// Input is what an input line holds.
type Input int

// What there may be.
const (
	NoInput    Input = iota // there is none: a dialog, a menu or something else is shown
	EmptyInput              // a message can be typed
	DraftInput              // somebody typed something
	OtherInput              // what is typed would not be a message but a command
)
