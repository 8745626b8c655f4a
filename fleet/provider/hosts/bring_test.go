package hosts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDirectoryVanishes removes the directory of ships while the program is being installed, as when another call sinks the
// last ship: the error is that of a missing program.
func TestDirectoryVanishes(t *testing.T) {
	home := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", putScript, "hosted", "hosted/.bin/ocaptain-1", "hosted/.bin", "5")
	cmd.Env = append(os.Environ(), "HOME="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if found, _ := filepath.Glob(filepath.Join(home, "hosted/.bin/.put.*")); len(found) > 0 {
			break
		}
	}
	for os.RemoveAll(filepath.Join(home, "hosted")) != nil { // retry, as the script may open its file again
	}
	_, _ = in.Write([]byte("12345"))
	in.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != noProgram {
		t.Errorf("got %v", err)
	}
}
