package bounded

import "strings"

// End is a writer that keeps the last bytes written to it.
type End struct {
	kept []byte
	most int
}

// NewEnd returns an End that keeps at most most bytes.
func NewEnd(most int) *End { return &End{most: most} }

// Write drops the oldest bytes when there is no room.
func (e *End) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, n-e.most):]
	e.kept = append(e.kept, p...)
	e.kept = e.kept[max(0, len(e.kept)-e.most):]
	return n, nil
}

// String returns the kept bytes as valid UTF-8: they may begin in the middle of a character.
func (e *End) String() string { return strings.ToValidUTF8(string(e.kept), "\uFFFD") }
