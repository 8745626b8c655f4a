// Package bounded keeps what another program prints, up to a size, so that endless output takes no
// endless memory.
package bounded

import (
	"bytes"
	"errors"
)

// ErrMore says that more was written than is kept.
var ErrMore = errors.New("too much output")

// Output keeps the beginning of what is written to it. It has no other way in than Write:
// a buffer's ReadFrom, which io.Copy prefers, would go round the bound.
type Output struct {
	kept    bytes.Buffer
	most    int
	refuses bool
	over    bool
}

// NewOutput returns an output that keeps so many bytes and drops the rest, so that who writes
// comes to an end as if all were kept.
func NewOutput(most int) *Output { return &Output{most: most} }

// Refuse returns an output that keeps so many bytes and fails with ErrMore when more comes.
func Refuse(most int) *Output { return &Output{most: most, refuses: true} }

// Write keeps what there is room for.
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
