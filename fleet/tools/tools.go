// Package tools knows the programs of others that ocaptain runs, and how new they must be.
package tools

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"ocaptain/fleet/clean"
)

// Tool is a program that is not ocaptain's.
type Tool struct {
	Name    string
	Least   string   // oldest version that will do, "" for any
	Version []string // command that prints its version
	Package string   // what distributions call it
	Need    string   // what it is for, on the captain's machine
}

// The tools.
var (
	Git  = Tool{"git", "2.38", []string{"git", "--version"}, "git", "bringing work home"}
	Tmux = Tool{"tmux", "3.2", []string{"tmux", "-V"}, "tmux", "local ships"}
	Bash = Tool{"bash", "", []string{"bash", "--version"}, "bash", "local ships"}
	SSH  = Tool{"ssh", "8.5", []string{"ssh", "-V"}, "openssh-client", "logging in to your hosts and exe.dev"}
)

// OfShips are the tools that every ship needs.
func OfShips() []Tool { return []Tool{Git, Tmux, Bash} }

// ErrAbsent says that a tool is not there at all.
var ErrAbsent = errors.New("not found")

// A BrokenError says that a tool is there and fails when it is asked for its version.
type BrokenError struct {
	Path string
	Said string // the last line that it printed, "" for none
	Err  error
}

func (b *BrokenError) Error() string {
	if b.Said == "" {
		return fmt.Sprintf("%s does not run: %v", b.Path, b.Err)
	}
	return fmt.Sprintf("%s does not run: it says %q", b.Path, b.Said)
}

func (b *BrokenError) Unwrap() error { return b.Err }

// probing bounds the question for a version.
const probing = 20 * time.Second

// Find returns the line in which the tool on this machine tells its version. The error says what is
// wrong with it.
func (t Tool) Find(ctx context.Context) (line string, err error) {
	path, err := exec.LookPath(t.Name)
	if err != nil {
		return "", ErrAbsent
	}
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, t.Version[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput() // ssh prints it where errors belong
	if err != nil {
		said := strings.TrimSpace(string(out[max(0, len(out)-300):]))
		return "", &BrokenError{Path: path, Said: clean.Line(said[strings.LastIndexByte(said, '\n')+1:]), Err: err}
	}
	line, _, _ = strings.Cut(strings.TrimSpace(string(out[:min(len(out), 4096)])), "\n")
	return line, t.Accept(line)
}

// Accept tells what is wrong with a tool that tells its version in that line; "" is not there.
func (t Tool) Accept(line string) error {
	switch {
	case line == "":
		return fmt.Errorf("%s is not there", t.Name)
	case t.Least != "" && isOlder(line, t.Least):
		return fmt.Errorf("%s %s is needed", t.Name, t.Least)
	}
	return nil
}

// Wanted is what is to be installed, with its version.
func (t Tool) Wanted() string { return strings.TrimSpace(t.Name + " " + t.Least) }

// isOlder reports whether the first number in text is below least; no number counts as new enough.
func isOlder(text, least string) bool {
	start := strings.IndexAny(text, "0123456789")
	if start < 0 {
		return false
	}
	var major, minor, wantMajor, wantMinor int
	if n, _ := fmt.Sscanf(text[start:], "%d.%d", &major, &minor); n == 0 {
		return false
	}
	_, _ = fmt.Sscanf(least, "%d.%d", &wantMajor, &wantMinor)
	return major < wantMajor || major == wantMajor && minor < wantMinor
}
