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

// hindrances are the files that the disk does not let be read or written now. Nothing is wrong with them.
type hindrances struct {
	why   map[string]string // by file name
	since time.Time         // of the first of them
}

// set takes down what is in the way of a file, nil for nothing.
func (h *hindrances) set(now time.Time, name string, err error) {
	switch {
	case err == nil:
		delete(h.why, name)
		return
	case len(h.why) == 0:
		h.since = now
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err // its file may be a temporary one
	}
	h.why[name] = err.Error()
}

// words name one of the files and how many more there are, "" for none.
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

// ofDisk are the errors that tell nothing of what is in a file.
var ofDisk = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE,
}

// isOfDisk reports whether an error is one of the disk or of the machine, and not of what is in a file.
func isOfDisk(err error) bool {
	return slices.ContainsFunc(ofDisk, func(of error) bool { return errors.Is(err, of) })
}

// Hindered says in words which files the disk does not let be read or written, and since when, "" for none. They are
// tried again by themselves.
func (v *View) Hindered() (why string, since time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.hindered.words(), v.hindered.since
}

// trouble notes why a file cannot be used or written, or that it can.
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

// state is what is told of files, to be compared.
func (v *View) state() []string {
	why, _ := v.Hindered()
	return append(v.Problems(), why)
}

// postpone looks at a task file again later, as the disk does not let it be read.
func (v *View) postpone(id string, err error) {
	v.trouble(id+suffix, err)
	v.agenda.add(id, time.Second)
}
