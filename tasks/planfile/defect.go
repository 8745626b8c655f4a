package planfile

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ocaptain/tasks"
)

// Severity says whether a plan with the defect can sail, that is, start a voyage.
type Severity string

// A plan with an Error cannot sail. A plan with a Warning can, but perhaps not as its author meant.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Defect is an error or a warning about a plan.
type Defect struct {
	Severity Severity `json:"severity"`
	File     string   `json:"file"`             // path in the plan's directory, with slashes
	Line     int      `json:"line,omitempty"`   // from 1, 0 for the whole file
	Column   int      `json:"column,omitempty"` // in bytes from 1
	Field    string   `json:"field,omitempty"`
	Problem  string   `json:"problem"`
	Fix      string   `json:"fix"` // what to do about it
}

// String returns the defect in one line, without the fix.
func (d Defect) String() string {
	where := d.File
	if d.Line > 0 {
		where += fmt.Sprintf(":%d:%d", d.Line, d.Column)
	}
	if d.Field != "" {
		where += ": " + d.Field
	}
	return fmt.Sprintf("%s: %s: %s", where, d.Severity, d.Problem)
}

// Defects are all defects of a plan, in the order of its files.
type Defects []Defect

// Errors counts the defects that keep the plan from sailing.
func (d Defects) Errors() int {
	n := 0
	for _, one := range d {
		if one.Severity == Error {
			n++
		}
	}
	return n
}

// Err returns one error with all errors and their fixes, nil when there are only warnings.
func (d Defects) Err() error {
	var lines []string
	for _, one := range d {
		if one.Severity == Error {
			lines = append(lines, one.String()+"; "+one.Fix)
		}
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// sortByFile orders defects as people read a plan: first the files at its top, then the tasks by id.
func (d Defects) sortByFile() {
	slices.SortStableFunc(d, func(a, b Defect) int {
		return cmp.Or(
			cmp.Compare(path.Dir(a.File), path.Dir(b.File)),
			tasks.CompareIDs(fileStem(a.File), fileStem(b.File)),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Field, b.Field),
		)
	})
}

// fileStem returns the name of a file without its directory and ".json".
func fileStem(file string) string { return strings.TrimSuffix(path.Base(file), ".json") }
