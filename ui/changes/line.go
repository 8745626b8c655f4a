package changes

import (
	"strconv"
	"strings"
)

// Kind is the kind of a line of a patch.
type Kind uint8

// The kinds.
const (
	Note    Kind = iota // not part of the patch itself: statistics, a missing line end
	Head                // begins a file
	Meta                // about a file: its modes, names and objects
	Hunk                // begins a hunk
	Context             // unchanged
	Added
	Removed
	Steers // names the files that steer agents; not from git
)

// Line is one line of a patch, clean except for tabs.
type Line struct {
	Kind Kind
	Text string
}

// parser finds the kind of each line. Within a hunk only the first character counts, for as many
// lines as the hunk promises, since content may look like anything.
type parser struct {
	old, young int // remaining lines of the hunk on each side
	file       bool
}

// classify returns the kind of the next line.
func (p *parser) classify(line string) Kind {
	if p.old > 0 || p.young > 0 {
		switch {
		case strings.HasPrefix(line, "+"):
			p.young--
			return Added
		case strings.HasPrefix(line, "-"):
			p.old--
			return Removed
		case strings.HasPrefix(line, "\\"):
			return Note
		case line == "", line[0] == ' ':
			p.old--
			p.young--
			return Context
		}
		p.old, p.young = 0, 0 // the hunk is shorter than promised
	}
	switch {
	case strings.HasPrefix(line, "diff --git "):
		p.file = true
		return Head
	case !p.file, strings.HasPrefix(line, "\\"):
		return Note
	case strings.HasPrefix(line, "@@ "):
		p.old, p.young = hunkLengths(line)
		return Hunk
	}
	return Meta
}

// hunkLengths reads the number of lines on each side from "@@ -1,2 +3,4 @@".
func hunkLengths(line string) (old, young int) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0
	}
	return length(f[1]), length(f[2])
}

func length(s string) int {
	_, n, found := strings.Cut(s, ",")
	if !found {
		return 1
	}
	count, err := strconv.Atoi(n)
	if err != nil || count < 0 {
		return 0
	}
	return count
}
