package local

import "os/exec"

func readAll(*exec.Cmd) {}

func unlinked(string, int) int64 { return 0 }
