package form

import "sync/atomic"

// News is what a check does that takes long. It may be told and asked from anywhere.
type News struct{ text atomic.Pointer[string] }

// Say is told what it does now.
func (n *News) Say(text string) { n.text.Store(&text) }

// Doing says what it does, "" when it is not busy.
func (n *News) Doing(busy bool) string {
	switch {
	case !busy:
		return ""
	case n != nil && n.text.Load() != nil:
		return *n.text.Load()
	}
	return "checking"
}
