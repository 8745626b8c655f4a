package config

import (
	"fmt"
	"strconv"

	"ocaptain/fleet/telemetry"
	"ocaptain/tasks/pattern"
)

// The smallest limits suffice for an agent with its shell, its language servers and a small build.
const (
	leastProcesses, maxProcesses = 200, 4194304
	leastMemory                  = 512 << 20
	leastKept                    = telemetry.LeastKeep
)

var sizePattern = pattern.New(`^([1-9][0-9]{0,6}) ?(MB|GB)$`)

// parseSize reads a number of bytes, which must be at least least.
func parseSize(text string, least int64) (int64, error) {
	found := sizePattern().FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("must be a size like 8GB or 1500MB")
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return 0, err
	}
	if n <<= 20; found[2] == "GB" {
		n <<= 10
	}
	if n < least {
		return 0, fmt.Errorf("must be %dMB or more", least>>20)
	}
	return n, nil
}
