// Package hush removes secrets from texts and errors.
package hush

import "errors"

// Retold returns err with another text. errors.Is and errors.As see no difference.
func Retold(err error, text string) error {
	return &retold{text, err}
}

// retold has no Unwrap, as the text of the wrapped error must stay hidden.
type retold struct {
	text string
	err  error
}

func (r *retold) Error() string   { return r.text }
func (r *retold) As(to any) bool  { return errors.As(r.err, to) }
func (r *retold) Is(e error) bool { return errors.Is(r.err, e) }
