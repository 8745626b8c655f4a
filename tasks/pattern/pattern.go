// Package pattern compiles regular expressions when they are used for the first time: ocaptain starts for each tool that an agent uses,
// and to compile all of its patterns took a third of that start.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The function panics when the expression cannot be compiled.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
