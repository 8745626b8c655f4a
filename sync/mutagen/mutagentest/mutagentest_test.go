package mutagentest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestBinary: Binary returns a Mutagen of the pinned version.
func TestBinary(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), Binary(t), "version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != Version {
		t.Errorf("%s: %v", out, err)
	}
}
