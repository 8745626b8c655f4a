package launch_test

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet/private/privatetest"
	"ocaptain/ui/cli"
)

// TestMain runs ocaptain itself when the test binary is started as ocaptain: helm and ships run the program that
// started them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(cli.Main("test"))
	}
	remove := privatetest.Runtime()
	code := m.Run()
	remove()
	os.Exit(code)
}
