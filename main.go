// Ocaptain runs a fleet of coding agents.
package main

import (
	"os"

	"ocaptain/ui/cli"
)

func main() { os.Exit(cli.Main()) }
