package form

import "sync/atomic"

// News is the progress of a long check. Its methods may be called from any goroutine.
type News struct{ text atomic.Pointer[string] }

// Say sets what the check does now.
func (n *News) Say(text string) { n.text.Store(&text) }

// Doing returns what the check does, "" when it is not busy.
func (n *News) Doing(busy bool) string {
	switch {
	case !busy:
		return ""
	case n != nil && n.text.Load() != nil:
		return *n.text.Load()
	}
	return "checking"
}
