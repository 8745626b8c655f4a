//go:build linux

// Suite runs the test binaries of a whole run, and reports their cost and the causes of failures.
//
//	suite factor              prints how slow this machine is
//	suite exec BINARY ARG...  runs a test binary, for go test -exec
//	suite report EVENTS DIR   prints costs and failures from the output of gotestsum --jsonfile, and writes all output of failed tests to DIR
package main

import (
	"fmt"
	"os"

	"ocaptain/tasks/eventually"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	switch {
	case len(args) == 1 && args[0] == "factor":
		fmt.Printf("%.1f\n", eventually.Measure())
		return 0, nil
	case len(args) > 1 && args[0] == "exec":
		return outside(args[1:])
	case len(args) > 1 && args[0] == inside:
		return keep(args[1:])
	case len(args) == 3 && args[0] == "report":
		return 0, report(os.Stdout, args[1], args[2])
	}
	return 0, fmt.Errorf("unknown arguments %q: there are factor, exec BINARY ARG... and report EVENTS DIR", args)
}
