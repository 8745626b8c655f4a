package cli

import (
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"

	"ocaptain/theme"
	"ocaptain/ui/logs"
)

// paintLog returns a line of a log in colour, with the matches of the pattern highlighted; a nil pattern matches
// nothing.
func paintLog(l logs.Line, grep *regexp.Regexp) string {
	style := l.Style()
	lines := strings.Split(l.Words, "\n")
	for i, text := range lines {
		if lines[i] = highlight(text, grep, style); i > 0 {
			lines[i] = strings.Repeat(" ", l.Indent()) + lines[i]
		}
	}
	head := theme.Dim.Render(l.TimeOfDay()) + " " + theme.ShipStyle(l.Ship).Render(l.Name()) + " " + style.Render(l.Prefix())
	return head + strings.Join(lines, "\n")
}

// highlight highlights the matches of the pattern in a line.
func highlight(text string, grep *regexp.Regexp, style lipgloss.Style) string {
	if grep == nil {
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
