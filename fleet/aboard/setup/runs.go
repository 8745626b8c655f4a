package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"
)

// runsFile is the file in the clone's git directory that lists the runs of its setup script, one line of JSON each.
const runsFile = "ocaptain/setup.runs"

// Interval says when a run of the setup script began and ended.
type Interval struct{ Began, Ended time.Time }

// Runs returns the runs of the setup script in a clone, the oldest first. It leaves out runs that were killed.
func Runs(ctx context.Context, workspace string) (all []Interval, err error) {
	file, err := clone(workspace).path(ctx, runsFile)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(raw) {
		var r Interval
		if json.Unmarshal(line, &r) == nil {
			all = append(all, r)
		}
	}
	return all, err
}

// noteRun records a run.
func (c clone) noteRun(ctx context.Context, r Interval) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.append(ctx, runsFile, string(line)+"\n")
}
