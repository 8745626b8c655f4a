package shiplog

import "ocaptain/fleet"

// maxLog bounds a ship's log on the hub, in bytes; an agent that works day and night needs months to reach it. Beyond it, a log gets only
// the lines on which the ship's state and its cost depend; at twice the size it gets nothing more. Its beginning cannot be removed, since
// readers use offsets.
const maxLog = 1 << 30

// maxFacts bounds a line of a thinned log, in bytes.
const maxFacts = 1 << 10

// isThinned reports whether the log gets only some lines.
func (l *File) isThinned() bool { return l.end >= l.most }

// keepFitting returns the lines for which the log still has room. The ship's budget counts the others too, so that a ship that sends
// too much has to wait.
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
