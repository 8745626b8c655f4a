// Package hush keeps secrets out of errors.
package hush

import (
	"errors"
	"strings"
)

// shortest is how long a secret must be to be taken out: a shorter one is a word, not a key.
const shortest = 8

// Without takes secrets out of a text.
func Without(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) >= shortest {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return text
}

// Retold is err with another text, and err itself when that is its text. What it is stays: errors.Is and errors.As
// see no difference.
func Retold(err error, text string) error {
	if text == err.Error() {
		return err
	}
	return &retold{text, err}
}

// retold has no Unwrap: whoever asked for the error within would get the text that is not to be told.
type retold struct {
	text string
	err  error
}

func (r *retold) Error() string   { return r.text }
func (r *retold) As(to any) bool  { return errors.As(r.err, to) }
func (r *retold) Is(e error) bool { return errors.Is(r.err, e) }
