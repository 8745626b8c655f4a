// Package logs reads the ships' logs: it puts their lines into words, shows existing and new lines,
// and indexes all lines in little memory.
package logs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
	"ocaptain/theme"
)

// Line is a line of a log, ready to be shown.
type Line struct {
	fleet.LogLine
	Words string // one or more clean lines; empty for a record that only helm needs
}

// Parse reads one line of a log file. It returns false for a damaged line.
func Parse(raw []byte) (Line, bool) {
	var l Line
	if err := json.Unmarshal(raw, &l.LogLine); err != nil || l.At.IsZero() {
		return l, false
	}
	l.Words = inWords(l.LogLine)
	l.Ship, l.Role, l.Kind = clean.Line(l.Ship), clean.Line(l.Role), clean.Line(l.Kind)
	return l, true
}

// TimeOfDay returns the time of the line as shown.
func (l Line) TimeOfDay() string { return l.At.Local().Format(time.TimeOnly) }

// Name returns the ship as shown.
func (l Line) Name() string { return "[" + l.Ship + "]" }

// Prefix returns the text between ship and words: the turn, and the word error.
func (l Line) Prefix() string { return linePrefix(l.Turn, l.Kind) }

func linePrefix(turn int, kind string) string {
	text := ""
	if turn > 0 {
		text = fmt.Sprintf("[Turn %d] ", turn)
	}
	if kind == "error" {
		text += kind + ": "
	}
	return text
}

// WithoutTime returns the line without time and style.
func (l Line) WithoutTime() string { return l.Name() + " " + l.Prefix() + l.Words }

// PlainText returns the line without style.
func (l Line) PlainText() string { return l.TimeOfDay() + " " + l.WithoutTime() }

// String returns the line as printed without style: further lines of its words are indented below
// the first.
func (l Line) String() string {
	return strings.ReplaceAll(l.PlainText(), "\n", "\n"+strings.Repeat(" ", l.Indent()))
}

// Indent returns the indentation of further lines, when the time is shown.
func (l Line) Indent() int { return len(time.TimeOnly) + 1 + len(l.Name()) + 1 }

// Style returns the style of the words.
func (l Line) Style() lipgloss.Style { return StyleOf(l.Kind) }

// StyleOf returns the style of a kind of lines. Errors, notes about claims and merges, and what the captain
// should look at stand out; output of tools and of provisioning is dim.
func StyleOf(kind string) lipgloss.Style {
	switch kind {
	case "error", fleet.KindUnfit:
		return theme.Bad
	case "note":
		return theme.Working
	case proto.KindTamper, proto.KindProposal, proto.KindAgentExited:
		return theme.Title
	case "tool", "result", "out", fleet.KindProvision:
		return theme.Dim
	}
	return theme.Plain
}
