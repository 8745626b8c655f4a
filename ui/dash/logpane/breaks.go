package logpane

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cluster returns the length of the first character of s in bytes, and its width in cells.
func cluster(s string) (length, width int) {
	if c := s[0]; c >= ' ' && c <= '~' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	g, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(g)), width
}

// breaks returns where the rows of a text end that are up to width cells wide, from an offset on. It breaks after a
// space if there is one.
func breaks(text string, from, width int) []int {
	var ends []int
	cells, space := 0, from
	for i := from; i < len(text); {
		n, w := cluster(text[i:])
		if cells+w > width && cells > 0 {
			if text[i] == ' ' { // a space may extend beyond the row
				i++
				space = i
			}
			end := i
			if space > from {
				end = space
			}
			ends = append(ends, end)
			from, space, i, cells = end, end, end, 0
			continue
		}
		cells += w
		i += n
		if text[i-n] == ' ' {
			space = i
		}
	}
	if from < len(text) || len(ends) == 0 {
		ends = append(ends, len(text))
	}
	return ends
}

// window returns the part of a text that is visible in width cells when it is scrolled by side cells, from an offset
// on. The part may be longer than that.
func window(text string, from, side, width int) (begin, end int) {
	for cells := 0; from < len(text) && cells < side; {
		n, w := cluster(text[from:])
		from, cells = from+n, cells+w
	}
	end = min(len(text), from+8*width+64)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return from, end
}
