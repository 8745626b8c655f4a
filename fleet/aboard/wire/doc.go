// Package wire carries calls in both directions over one byte stream. Messages are lines of JSON of bounded size.
//
// The other end is not trusted. Its messages are checked for size and form before anything acts on them. Too many
// calls are refused and not queued. If a handler panics, only its own call fails.
package wire
