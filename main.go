// Ocaptain runs a fleet of coding agents.
package main

import (
	"os"

	"ocaptain/ui/cli"
)

// version is the release; the linker sets it.
var version = "dev"

func main() { os.Exit(cli.Main(version)) }
