// Package tools lists the programs that ocaptain runs and that are not its own, and checks their versions.
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

// Tool is a program that is not part of ocaptain.
type Tool struct {
	Name    string
	Least   string   // oldest version that ocaptain works with, "" for any
	Version []string // command that prints the tool's version
	Package string   // name of its package in distributions
	Need    string   // what the captain's machine needs it for
}

// The tools.
var (
	Git  = Tool{"git", "2.38", []string{"git", "--version"}, "git", "bringing work home"}
	Tmux = Tool{"tmux", "3.2", []string{"tmux", "-V"}, "tmux", "local ships"}
	Bash = Tool{"bash", "", []string{"bash", "--version"}, "bash", "local ships"}
	SSH  = Tool{"ssh", "8.5", []string{"ssh", "-V"}, "openssh-client", "logging in to your hosts and exe.dev"}
)

// OfShips returns the tools that every ship needs.
func OfShips() []Tool { return []Tool{Git, Tmux, Bash} }

// ErrAbsent says that a tool is not installed.
var ErrAbsent = errors.New("not found")

// A BrokenError says that a tool is installed, but fails when it is asked for its version.
type BrokenError struct {
	Path string
	Said string // last line that the tool printed, "" for none
	Err  error
}

func (b *BrokenError) Error() string {
	if b.Said == "" {
		return fmt.Sprintf("%s does not run: %v", b.Path, b.Err)
	}
	return fmt.Sprintf("%s does not run: it says %q", b.Path, b.Said)
}

func (b *BrokenError) Unwrap() error { return b.Err }

// probing is the time that a tool has to print its version.
const probing = 20 * time.Second

// Find returns the line in which the tool on this machine prints its version. The error says what is wrong with the
// tool.
func (t Tool) Find(ctx context.Context) (line string, err error) {
	path, err := exec.LookPath(t.Name)
	if err != nil {
		return "", ErrAbsent
	}
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, t.Version[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput() // ssh prints its version to stderr
	if err != nil {
		said := strings.TrimSpace(string(out[max(0, len(out)-300):]))
		return "", &BrokenError{Path: path, Said: clean.Line(said[strings.LastIndexByte(said, '\n')+1:]), Err: err}
	}
	line, _, _ = strings.Cut(strings.TrimSpace(string(out[:min(len(out), 4096)])), "\n")
	return line, t.Accept(line)
}

// Accept returns an error that says what is wrong with a tool that prints its version as this line; "" means that the
// tool is not installed.
func (t Tool) Accept(line string) error {
	switch {
	case line == "":
		return fmt.Errorf("%s is not there", t.Name)
	case t.Least != "" && isOlder(line, t.Least):
		return fmt.Errorf("%s %s is needed", t.Name, t.Least)
	}
	return nil
}

// Wanted returns the name of the tool and the version to install.
func (t Tool) Wanted() string { return strings.TrimSpace(t.Name + " " + t.Least) }

// isOlder reports whether the first version number in text is below least; a text without a number counts as new
// enough.
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
