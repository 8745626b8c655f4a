//go:build long

package local_test

import (
	"testing"
)

// TestFullDisk lets ships write without end: to files, to a file in an unreadable directory, and to a file without a name. Each ship
// is stopped and says why, and another one goes on. It starts again once its limit is raised, or its files are gone.
func TestFullDisk(t *testing.T) { eachCaptain(t, fillDisk) }
