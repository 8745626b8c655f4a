// Package claudetest lets tests run the real Claude Code without its service: the API of package
// loopback for the time of a test, the pinned binary, and an environment in which it calls nothing
// else.
package claudetest
