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

// Program returns ocaptain as captains get it. It builds it below dir, unless all tests have one already.
func Program(dir string) (string, error) {
	if built := os.Getenv(builtVar); built != "" {
		return built, nil
	}
	path := filepath.Join(dir, "ocaptain")
	return path, Build(path)
}

// Build builds ocaptain to a file, with further flags.
func Build(path string, flags ...string) error {
	args := append(append([]string{"build"}, flags...), "-o", path, "ocaptain")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
