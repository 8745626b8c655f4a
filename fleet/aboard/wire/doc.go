// Package wire carries calls both ways over one byte stream: newline-delimited
// JSON, every message bounded, both ends may call.
//
// The other end is not trusted. What it sends is checked against its size limit
// and shape before anything acts on it, a call too many is refused instead of
// queued, and a handler that panics fails its own call only.
package wire
