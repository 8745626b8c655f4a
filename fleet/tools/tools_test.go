package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet/tools"
)

func TestAccept(t *testing.T) {
	for _, c := range []struct {
		tool tools.Tool
		line string
		good bool
	}{
		{tools.Git, "git version 2.38.1", true},
		{tools.Git, "git version 2.37.9", false},
		{tools.Git, "git version 3.0", true},
		{tools.Tmux, "tmux 3.2a", true},
		{tools.Tmux, "tmux next-3.5", true},
		{tools.Tmux, "tmux 2.9", false},
		{tools.Tmux, "tmux master", true},
		{tools.SSH, "OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.19 27 Jan 2026", true},
		{tools.SSH, "OpenSSH_6.6.1p1", false},
		{tools.Bash, "GNU bash, version 5.2.15(1)-release", true},
		{tools.Bash, "", false},
	} {
		if err := c.tool.Accept(c.line); (err == nil) != c.good {
			t.Errorf("%s %q: %v", c.tool.Name, c.line, err)
		}
	}
}

// Find finds the tools of this machine, and judges the tools of another PATH by what they print.
func TestFind(t *testing.T) {
	for _, tool := range append(tools.OfShips(), tools.SSH) {
		if line, err := tool.Find(t.Context()); err != nil || line == "" {
			t.Errorf("%s: %q, %v", tool.Name, line, err)
		}
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := tools.Tmux.Find(t.Context()); !errors.Is(err, tools.ErrAbsent) {
		t.Errorf("nowhere: %v", err)
	}
	for script, want := range map[string]string{
		"#!/bin/sh\necho tmux 2.9\n": "tmux 3.2 is needed",
		"#!/bin/sh\nexit 3\n":        filepath.Join(dir, "tmux") + " does not run: exit status 3",
		"#!/bin/sh\necho well\necho 'fatal: bad config line 6' >&2\nexit 3\n": filepath.Join(dir, "tmux") + ` does not run: it says "fatal: bad config line 6"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Tmux.Find(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
}
