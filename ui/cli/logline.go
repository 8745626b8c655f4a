package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/clean"
)

// logQuery says which lines are wanted.
type logQuery struct {
	ships []string // empty for all
	role  string   // "" for all
	mute  bool     // also lines that say nothing in words
	grep  *regexp.Regexp
}

// logLine is a line of a log, ready to be shown.
type logLine struct {
	fleet.LogLine
	text string // one or more clean lines
}

// parseLog reads one line of a log file. A line that is damaged is not one.
func parseLog(raw []byte) (logLine, bool) {
	var l logLine
	if err := json.Unmarshal(raw, &l.LogLine); err != nil || l.At.IsZero() {
		return l, false
	}
	l.text = clean.Text(strings.TrimRight(logText(l.LogLine), " \t\r\n"))
	l.Ship, l.Role, l.Kind = clean.Line(l.Ship), clean.Line(l.Role), clean.Line(l.Kind)
	return l, true
}

// head is everything before the text: who says it, when, and in which turn.
func (l logLine) head() (at, ship, rest string) {
	at = l.At.Local().Format("15:04:05")
	if l.Turn > 0 {
		rest = fmt.Sprintf("[Turn %d] ", l.Turn)
	}
	if l.Kind == "error" || l.Kind == "note" {
		rest += l.Kind + ": "
	}
	return at, "[" + l.Ship + "]", rest
}

// plain is the line without style, as it is searched.
func (l logLine) plain() string {
	at, ship, rest := l.head()
	return at + " " + ship + " " + rest + l.text
}

// wants reports whether the query asks for the line.
func (q logQuery) wants(l logLine) bool {
	return (l.text != "" || q.mute) && (len(q.ships) == 0 || slices.Contains(q.ships, l.Ship)) &&
		(q.role == "" || q.role == l.Role) &&
		(q.grep == nil || q.grep.String() == "" || q.grep.MatchString(l.plain()))
}

// styled is the line as it is shown. Further lines of its text are indented below the first.
func (l logLine) styled(q logQuery) string {
	at, ship, rest := l.head()
	style := theme.Plain
	switch l.Kind {
	case "error":
		style = theme.Bad
	case "note":
		style = theme.Waiting
	case "tool", "result", "out":
		style = theme.Dim
	}
	indent := strings.Repeat(" ", len(at)+1+len(ship)+1)
	lines := strings.Split(l.text, "\n")
	for i, text := range lines {
		if lines[i] = highlight(text, q.grep, style.Render); i > 0 {
			lines[i] = indent + lines[i]
		}
	}
	return theme.Dim.Render(at) + " " + theme.Ship(l.Ship).Render(ship) + " " + style.Render(rest) + strings.Join(lines, "\n")
}

// highlight marks what the pattern finds in a line.
func highlight(text string, grep *regexp.Regexp, render func(...string) string) string {
	if grep == nil || grep.String() == "" {
		return render(text)
	}
	var s strings.Builder
	end := 0
	for _, hit := range grep.FindAllStringIndex(text, -1) {
		if hit[0] == hit[1] {
			continue
		}
		s.WriteString(render(text[end:hit[0]]) + theme.Hit.Render(text[hit[0]:hit[1]]))
		end = hit[1]
	}
	return s.String() + render(text[end:])
}
