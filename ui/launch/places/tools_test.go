package places

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/mix"
	"ocaptain/ui/launch/problem"
)

// The tools that sailing needs are checked before anything is made, and only those of the chosen provider.
func TestTools(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(git, filepath.Join(dir, "git")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\necho tmux 2.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for provider, want := range map[string]string{
		"local":   `tmux 3.2 is needed for local ships; this machine has "tmux 2.9"` + "\nbash is not on this machine",
		"hosts":   "ssh is not on this machine; it is needed for logging in to your hosts and exe.dev",
		"sprites": "",
	} {
		err := CheckTools(t.Context(), mix.Mix{{Provider: provider}})
		var p *problem.Problem
		if (want == "") != (err == nil) || err != nil && (!errors.As(err, &p) || p.Kind != problem.Missing || !strings.Contains(err.Error(), want) || p.Hint == "") {
			t.Errorf("%s: %v", provider, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := CheckTools(ctx, mix.Mix{{Provider: "local"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
