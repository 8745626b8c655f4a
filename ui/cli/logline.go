package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

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

// shown is the line as it is shown, in colour or without. Further lines of its text
// are indented below the first.
func (l logLine) shown(q logQuery, colour bool) string {
	paint := func(s lipgloss.Style, text string) string {
		if !colour {
			return text
		}
		return s.Render(text)
	}
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
	lines := strings.Split(l.text, "\n")
	for i, text := range lines {
		if colour {
			text = highlight(text, q.grep, style)
		}
		if lines[i] = text; i > 0 {
			lines[i] = strings.Repeat(" ", len(at)+1+len(ship)+1) + text
		}
	}
	return paint(theme.Dim, at) + " " + paint(theme.Ship(l.Ship), ship) + " " + paint(style, rest) + strings.Join(lines, "\n")
}

// highlight marks what the pattern finds in a line.
func highlight(text string, grep *regexp.Regexp, style lipgloss.Style) string {
	if grep == nil || grep.String() == "" {
		return style.Render(text)
	}
	var s strings.Builder
	end := 0
	for _, hit := range grep.FindAllStringIndex(text, -1) {
		if hit[0] == hit[1] {
			continue
		}
		s.WriteString(style.Render(text[end:hit[0]]) + theme.Hit.Render(text[hit[0]:hit[1]]))
		end = hit[1]
	}
	return s.String() + style.Render(text[end:])
}
