package taskdir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"time"
)

// hindrances are the files that the disk cannot read or write at the moment. Their content may be undamaged.
type hindrances struct {
	why   map[string]string // by file name
	since time.Time         // when the first of them was set
}

// set records why a file cannot be read or written; nil clears it.
func (h *hindrances) set(now time.Time, name string, err error) {
	switch {
	case err == nil:
		delete(h.why, name)
		return
	case len(h.why) == 0:
		h.since = now
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err // without the path, which may be that of a temporary file
	}
	h.why[name] = err.Error()
}

// words names one file and how many more there are, "" for none.
func (h *hindrances) words() string {
	if len(h.why) == 0 {
		return ""
	}
	name := slices.Min(slices.Collect(maps.Keys(h.why)))
	text := fmt.Sprintf("%q: %s", name, h.why[name])
	if more := len(h.why) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// ofDisk are errors that say nothing about a file's content.
var ofDisk = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE,
}

// isOfDisk reports whether err comes from the disk or the machine, and not from a file's content.
func isOfDisk(err error) bool {
	return slices.ContainsFunc(ofDisk, func(of error) bool { return errors.Is(err, of) })
}

// Hindered says which files the disk cannot read or write, and since when, "" for none. The view retries by itself.
func (v *View) Hindered() (why string, since time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.hindered.words(), v.hindered.since
}

// trouble records why a file cannot be used or written; nil clears it.
func (v *View) trouble(name string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var disk error
	if isOfDisk(err) {
		disk, err = err, nil
	}
	v.hindered.set(time.Now(), name, disk)
	if err == nil {
		delete(v.problems, name)
	} else if len(v.problems) < 10*maxProblems {
		v.problems[name] = err.Error()
	}
}

// state returns the problems and hindrances in words, to see whether they have changed.
func (v *View) state() []string {
	why, _ := v.Hindered()
	return append(v.Problems(), why)
}

// postpone schedules another look at a task file that the disk cannot read.
func (v *View) postpone(id string, err error) {
	v.trouble(id+suffix, err)
	v.agenda.add(id, time.Second)
}
