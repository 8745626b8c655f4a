// Package claudetest lets tests run the real Claude Code without its service: the API of
// package loopback for the time of a test, the pinned binary, and the environment in which it
// calls nobody else.
package claudetest
