package words

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// noBreak is the hyphen of Unicode at which no line is broken.
const noBreak = "\u2011"

// Wrap breaks text into lines of at most width columns, between words: a flag or a name with hyphens stays whole where it fits on a line. An
// unbreakable hyphen becomes a plain hyphen.
func Wrap(text string, width int) []string {
	text = ansi.Wrap(strings.ReplaceAll(text, "-", noBreak), max(1, width), "")
	return strings.Split(strings.ReplaceAll(text, noBreak, "-"), "\n")
}
