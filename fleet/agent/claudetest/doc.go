// Package claudetest lets tests run the real Claude Code without its service: a
// loopback stand-in for the Messages API whose answers come from a Go function,
// the pinned binary, and the environment in which it calls nobody else.
package claudetest
