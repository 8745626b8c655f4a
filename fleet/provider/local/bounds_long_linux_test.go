//go:build long

package local_test

import (
	"testing"
)

// TestForkBomb starts processes and threads without end in a ship. The ship reaches its limit and says so; another ship
// goes on.
func TestForkBomb(t *testing.T) { eachCaptain(t, attackForks) }

// TestMemory allocates memory without end in a ship. A process of the ship is killed, and the ship goes on, and so
// does another one. A ship of an ordinary captain has no limit where systemd does not run, which the ship says.
func TestMemory(t *testing.T) { eachCaptain(t, attackMemories) }
