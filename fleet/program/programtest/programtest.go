// Package programtest builds ocaptain for tests that run it as captains do.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// builtVar names the program that .ci/test has built, so that not each package builds it again.
const builtVar = "OCAPTAIN_BUILT"

// flags have two looks for a machine prove that it is gone when they are a little further apart than what stand-ins take to do
// something late, and not a minute.
const flags = "-X ocaptain/fleet/machines.proof=4s"

// Program returns ocaptain as captains get it, but for flags. It builds it below dir, unless all tests have one already.
func Program(dir string) (string, error) {
	if built := os.Getenv(builtVar); built != "" {
		return built, nil
	}
	path := filepath.Join(dir, "ocaptain")
	return path, Build(path, "")
}

// Build builds ocaptain to a file, with further flags. The linker gets those of linked as well.
func Build(path, linked string, more ...string) error {
	args := append(append([]string{"build", "-ldflags", flags + " " + linked}, more...), "-o", path, "ocaptain")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
