package tailnettest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestBinary checks that the real tailscaled can be built, in the required version.
func TestBinary(t *testing.T) {
	t.Log(Binary(t))
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", ".ci", "tailscaled", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^require tailscale\.com v(\S+)`).FindSubmatch(raw)
	if m == nil || string(m[1]) != Version {
		t.Errorf(".ci/tailscaled requires %s, and tests run %s", m, Version)
	}
}
