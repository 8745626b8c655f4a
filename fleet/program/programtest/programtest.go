// Package programtest builds ocaptain for tests that run it as captains do.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// builtVar names the environment variable with the path of the program that .ci/test has built, so that not every
// package builds it.
const builtVar = "OCAPTAIN_BUILT"

// flags make two failed looks at a machine prove that it is gone after 4 s, and not after a minute. What the
// stand-ins of services do late, they do within a little less time.
const flags = "-X ocaptain/fleet/machines.proof=4s"

// Program returns the path of an ocaptain program that differs from the released one only by flags. It builds it below
// dir, unless .ci/test has built one.
func Program(dir string) (string, error) {
	if built := os.Getenv(builtVar); built != "" {
		return built, nil
	}
	path := filepath.Join(dir, "ocaptain")
	return path, Build(path, "")
}

// Build builds ocaptain to a file, with more as further arguments of go build. The linker also gets linked.
func Build(path, linked string, more ...string) error {
	args := append(append([]string{"build", "-ldflags", flags + " " + linked}, more...), "-o", path, "ocaptain")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
