// Package pattern compiles regular expressions at their first use: ocaptain starts for each tool call of an agent, and compiling all
// patterns took a third of that start.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The function panics if expr is invalid.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
