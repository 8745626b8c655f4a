//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
)

// Whatever umask the captain has, only the captain can read the files of a voyage. The directory in /tmp in which
// sockets used to be may belong to somebody else.
func TestUmask(t *testing.T) {
	squat := fmt.Sprintf("/tmp/ocaptain-%d", os.Getuid())
	if os.WriteFile(squat, nil, 0o600) == nil {
		defer os.Remove(squat)
	}
	for _, umask := range []string{"000", "022", "027"} {
		t.Run(umask, func(t *testing.T) {
			c := newCaptain(t)
			wrapper := filepath.Join(t.TempDir(), "ocaptain")
			if err := os.WriteFile(wrapper, []byte("#!/bin/sh\numask "+umask+"\nexec "+c.program+" \"$@\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			c.program = wrapper
			d := c.sail(c.plan("closed", c.bigRepo(20), "#!/bin/bash\n", smallPlan(1, 2, "echo x >>file")), "-n", "1", "--agent", "script")
			c.complete(d)
			c.closed()
			if out := c.git(d.Workspace(), "status", "--porcelain"); out != "" {
				t.Errorf("modes make changes:\n%s", out)
			}
			for _, path := range []string{d.LogFile("ship-0"), d.Prompt(), d.BoardFile(), d.Voyage(), d.Workspace(), d.SpecFile()} {
				if _, err := os.Lstat(path); err != nil {
					t.Error(err)
				}
			}
			if runtime, err := fleet.RuntimeDir(c.hub.State); err != nil || runtime == squat || filepath.Dir(runtime) == squat {
				t.Errorf("sockets are in %s, %v", runtime, err)
			}
		})
	}
}
