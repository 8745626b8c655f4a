// Package logs reads the ships' logs: what their lines say in words, those that are there,
// those that come, and an index of all of them that is small enough to be held in memory.
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
	Words string // one or more clean lines; empty for a record that only matters to helm
}

// Parse reads one line of a log file. A line that is damaged is not one.
func Parse(raw []byte) (Line, bool) {
	var l Line
	if err := json.Unmarshal(raw, &l.LogLine); err != nil || l.At.IsZero() {
		return l, false
	}
	l.Words = inWords(l.LogLine)
	l.Ship, l.Role, l.Kind = clean.Line(l.Ship), clean.Line(l.Role), clean.Line(l.Kind)
	return l, true
}

// TimeOfDay is the time of the line as it is shown.
func (l Line) TimeOfDay() string { return l.At.Local().Format(time.TimeOnly) }

// Name is the ship as it is shown.
func (l Line) Name() string { return "[" + l.Ship + "]" }

// Prefix is what stands between the ship and the words: the turn, and errors by name.
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

// WithoutTime is the line without time and style.
func (l Line) WithoutTime() string { return l.Name() + " " + l.Prefix() + l.Words }

// PlainText is the line without style.
func (l Line) PlainText() string { return l.TimeOfDay() + " " + l.WithoutTime() }

// String is the line as it is printed without style: further lines of its words are
// indented below the first.
func (l Line) String() string {
	return strings.ReplaceAll(l.PlainText(), "\n", "\n"+strings.Repeat(" ", l.Indent()))
}

// Indent is how far further lines of the words are indented when the time is shown.
func (l Line) Indent() int { return len(time.TimeOnly) + 1 + len(l.Name()) + 1 }

// Style is the look of the words.
func (l Line) Style() lipgloss.Style { return StyleOf(l.Kind) }

// StyleOf is the look of a kind of lines: errors stand out, as do notes, which tell of claims
// and merges, and what the captain should look at; what tools say and how a ship is fitted out stands back.
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
