package bounded

import "strings"

// End keeps the end of what is written to it.
type End struct {
	kept []byte
	most int
}

// NewEnd returns an end of at most so many bytes.
func NewEnd(most int) *End { return &End{most: most} }

// Write drops what came first when there is no room.
func (e *End) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, n-e.most):]
	e.kept = append(e.kept, p...)
	e.kept = e.kept[max(0, len(e.kept)-e.most):]
	return n, nil
}

// String is the end as text, though it may begin in the middle of a character.
func (e *End) String() string { return strings.ToValidUTF8(string(e.kept), "\uFFFD") }
