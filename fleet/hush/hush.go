// Package hush keeps secrets out of texts and errors.
package hush

import "errors"

// Retold is err with another text. What it is stays: errors.Is and errors.As see no difference.
func Retold(err error, text string) error {
	return &retold{text, err}
}

// retold has no Unwrap: the error within has the text that must stay hidden.
type retold struct {
	text string
	err  error
}

func (r *retold) Error() string   { return r.text }
func (r *retold) As(to any) bool  { return errors.As(r.err, to) }
func (r *retold) Is(e error) bool { return errors.Is(r.err, e) }
