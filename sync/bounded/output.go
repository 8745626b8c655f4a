// Package bounded keeps the output of another program up to a size, so that endless output does not fill the memory.
package bounded

import (
	"bytes"
	"errors"
)

// ErrMore means that more was written than a writer of Refuse keeps.
var ErrMore = errors.New("too much output")

// Output is a writer that keeps the first bytes written to it. It must not have a ReadFrom, which io.Copy would call
// in place of Write, without the bound.
type Output struct {
	kept    bytes.Buffer
	most    int
	refuses bool
	over    bool
}

// NewOutput returns an Output that keeps most bytes and drops the rest without an error.
func NewOutput(most int) *Output { return &Output{most: most} }

// Refuse returns an Output that keeps most bytes. Write fails with ErrMore when there are more.
func Refuse(most int) *Output { return &Output{most: most, refuses: true} }

// Write keeps the bytes for which there is room.
func (o *Output) Write(p []byte) (int, error) {
	kept := min(len(p), max(0, o.most-o.kept.Len()))
	o.kept.Write(p[:kept])
	if kept < len(p) {
		if o.over = true; o.refuses {
			return kept, ErrMore
		}
	}
	return len(p), nil
}

// IsOver reports whether more was written than is kept.
func (o *Output) IsOver() bool { return o.over }

// Bytes returns what is kept. It changes with the next Write.
func (o *Output) Bytes() []byte { return o.kept.Bytes() }

func (o *Output) String() string { return o.kept.String() }
