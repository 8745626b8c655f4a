package local

import (
	"os/exec"

	"ocaptain/fleet/process"
)

func readAll(*exec.Cmd) {}

func unlinked(string, []process.Process) int64 { return 0 }
