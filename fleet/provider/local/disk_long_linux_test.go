//go:build long

package local_test

import (
	"testing"
)

// TestFullDisk has ships write without end: into files, into one behind a closed door, and into one without a name. Each is stopped,
// says why, and another one goes on. It is back once it may use more, or its files are gone.
func TestFullDisk(t *testing.T) { eachCaptain(t, fillDisk) }
