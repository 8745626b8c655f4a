package shiplog

import "ocaptain/fleet"

// maxLog bounds a ship's log on the hub, in bytes: months of an agent that works day and night. A log beyond it has only
// what the state of the ship and its price are read from, and one of twice the size gets nothing more. Readers know places in the file, so
// its beginning cannot go.
const maxLog = 1 << 30

// maxFacts bounds what a line of a thinned log carries, in bytes.
const maxFacts = 1 << 10

// isThinned tells whether the log is thinned.
func (l *File) isThinned() bool { return l.end >= l.most }

// keepFitting returns the lines that the log still has room for. What is left out counts as if it were kept: who sends too much waits.
func (l *File) keepFitting(lines []fleet.LogLine) []fleet.LogLine {
	if !l.isThinned() {
		return lines
	}
	var kept []fleet.LogLine
	for _, line := range lines {
		if line.Text == "" && len(line.Data) <= maxFacts && l.end < 2*l.most {
			kept = append(kept, line)
			continue
		}
		l.size += int64(len(line.Text) + len(line.Data))
	}
	return kept
}
