// Package claudetest lets tests run the real Claude Code without its service: with the API of package loopback, the
// pinned binary, and an environment in which Claude Code calls nothing else.
package claudetest
