package sailform

import (
	"strings"

	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch/problem"
)

// field is a field of the form.
type field = form.Field

// The fields, from top to bottom.
const (
	atPlan field = iota
	atShips
	atProvider
	atAgent
	atRepo
	atModel
	atMaxAge
	atMaxCost
	atSink
	atSync
	atFiles // only when there are git-ignored files to bring
	atWalls // only when the captain must agree to no sandbox
	atSail
	atCancel
	fields
)

// fieldOf returns the field at which a problem is shown.
func fieldOf(f problem.Field) field {
	switch f {
	case problem.Plan:
		return atPlan
	case problem.Ships:
		return atShips
	case problem.Provider:
		return atProvider
	case problem.Agent:
		return atAgent
	case problem.Repo:
		return atRepo
	case problem.Model:
		return atModel
	case problem.MaxAge:
		return atMaxAge
	case problem.MaxCost:
		return atMaxCost
	case problem.Sink:
		return atSink
	case problem.Sync:
		return atSync
	case problem.Files:
		return atFiles
	}
	return atSail
}

// showsFiles reports whether the form has anything to say about git-ignored files.
func (f *Form) showsFiles() bool {
	return len(f.files.Files)+len(f.files.Skipped) > 0 || f.bring.Chosen != "" || f.problemAt(atFiles) != nil
}

// moveToField focuses another field, around the ends, and passes over fields that ask for nothing.
func (f *Form) moveToField(n field) {
	f.at = (f.at + n + fields) % fields
	if f.at == atWalls && f.unwalled == nil || f.at == atFiles && !f.showsFiles() {
		f.moveToField(n)
	}
}

// currentLine returns the input line of the focused field, nil for none.
func (f *Form) currentLine() *dialog.Line {
	switch f.at {
	case atPlan:
		return f.plan
	case atRepo:
		return f.repo
	case atModel:
		return f.model
	case atMaxAge:
		return f.maxAge
	case atMaxCost:
		return f.maxCost
	}
	return nil
}

func trimmed(l *dialog.Line) string { return strings.TrimSpace(l.Value()) }
