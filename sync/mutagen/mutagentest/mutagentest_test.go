package mutagentest

import (
	"os/exec"
	"strings"
	"testing"
)

// The real Mutagen is there, and is of the version that is pinned.
func TestBinary(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), Binary(t), "version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != Version {
		t.Errorf("%s: %v", out, err)
	}
}
