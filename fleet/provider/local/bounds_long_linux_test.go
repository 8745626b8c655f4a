//go:build long

package local_test

import (
	"testing"
)

// TestForkBomb starts processes and threads without end in a ship. It stands at its bound and says so; another one works.
func TestForkBomb(t *testing.T) { eachCaptain(t, attackForks) }

// TestMemory takes memory without end in a ship. A process there ends, and the ship and another one go on. An ordinary
// captain's ship has no bound where systemd does not run, which is said.
func TestMemory(t *testing.T) { eachCaptain(t, attackMemories) }
