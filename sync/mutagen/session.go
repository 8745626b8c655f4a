package mutagen

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The modes of a session.
const (
	// TwoWay brings each side's changes to the other. What both have changed stays as it is on either side, as a conflict.
	TwoWay = "two-way-safe"

	// Replica makes the second side like the first.
	Replica = "one-way-replica"
)

// Endpoint is one side of a session.
type Endpoint struct {
	Host string // as AddHost was told, "" for this machine
	Path string // whole; its parent must exist
}

func (e Endpoint) url() string {
	if e.Host == "" {
		return e.Path
	}
	return e.Host + ":" + e.Path
}

// Spec says what a session keeps the same.
type Spec struct {
	Mode   string
	A, B   Endpoint
	Labels map[string]string // name it among all sessions
	Ignore []string          // patterns of what does not travel, as Mutagen has them
}

// Limits on what a side may have: more than that stops the session with an error.
const (
	mostEntries = "500000"
	mostFile    = "2GB" // of a file; a larger one is a problem
)

// Ignored are the patterns of what never is worth its way: what git has, and what is made from the rest in minutes.
var Ignored = []string{
	".git", ".DS_Store", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".gradle", "target", "dist",
	".next", ".turbo", ".parcel-cache", ".terraform",
}

// Ensure returns the id of the session with these labels that does what spec says, and makes that session if it has to. A paused session
// stays paused.
func (h *Home) Ensure(ctx context.Context, spec Spec) (string, error) {
	h.making.Lock()
	defer h.making.Unlock()
	all, err := h.List(ctx)
	if err != nil {
		return "", err
	}
	keep := ""
	for _, s := range all {
		same := maps.Equal(s.Labels, spec.Labels)
		switch {
		case same && keep == "" && s.A.Endpoint == spec.A && s.B.Endpoint == spec.B && s.Mode == spec.Mode:
			keep = s.ID
		case same:
			err = h.Terminate(ctx, s.ID)
		case shares(s.A.Endpoint, spec) || shares(s.B.Endpoint, spec):
			err = fmt.Errorf("mutagen: %s: %w", spec.B.url(), ErrTaken)
		}
		if err != nil {
			return "", err
		}
	}
	if keep != "" {
		return keep, nil
	}
	return h.create(ctx, spec)
}

// shares reports whether a side of another session is one of spec's on another machine.
func shares(e Endpoint, spec Spec) bool { return e.Host != "" && (e == spec.A || e == spec.B) }

// create makes a session, and returns its id once it has connected.
func (h *Home) create(ctx context.Context, spec Spec) (string, error) {
	args := []string{
		"sync", "create", "--no-global-configuration", "--mode=" + spec.Mode, "--ignore-vcs", "--max-entry-count=" + mostEntries, "--max-staging-file-size=" + mostFile,
	}
	if spec.Mode == Replica { // no agent works in it
		args = append(args, "--default-file-mode=0600", "--default-directory-mode=0700")
	} else {
		args = append(args, "--default-file-mode=0644", "--default-directory-mode=0755")
	}
	for _, key := range slices.Sorted(maps.Keys(spec.Labels)) {
		args = append(args, "--label="+key+"="+spec.Labels[key])
	}
	for _, pattern := range spec.Ignore {
		args = append(args, "--ignore="+pattern)
	}
	if _, err := h.run(ctx, append(args, spec.A.url(), spec.B.url())...); err != nil {
		return "", err
	}
	all, err := h.List(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if maps.Equal(s.Labels, spec.Labels) {
			return s.ID, nil
		}
	}
	return "", fmt.Errorf("mutagen: the session for %s is gone at once", spec.B.url())
}

// Labelled returns those sessions that have all of these labels.
func Labelled(all []State, labels map[string]string) []State {
	var some []State
	for _, s := range all {
		if holds(s.Labels, labels) {
			some = append(some, s)
		}
	}
	return some
}

func holds(all, some map[string]string) bool {
	for key, value := range some {
		if all[key] != value {
			return false
		}
	}
	return true
}

// Pause stops a session for now.
func (h *Home) Pause(ctx context.Context, id string) error { return h.order(ctx, "pause", id) }

// Resume has a session go on.
func (h *Home) Resume(ctx context.Context, id string) error { return h.order(ctx, "resume", id) }

// Reset makes a session forget what both sides had in common, so that a file that only one side has goes to the other. A halted
// session goes on then.
func (h *Home) Reset(ctx context.Context, id string) error { return h.order(ctx, "reset", id) }

// Terminate ends a session. Both sides stay as they are.
func (h *Home) Terminate(ctx context.Context, id string) error { return h.order(ctx, "terminate", id) }

// Flush looks at both sides of a session and brings what differs to the other. What it cannot bring, State tells afterwards.
func (h *Home) Flush(ctx context.Context, id string) error { return h.order(ctx, "flush", id) }

func (h *Home) order(ctx context.Context, verb, id string) error {
	if !strings.HasPrefix(id, "sync_") {
		return fmt.Errorf("mutagen: %.80q is no session", id)
	}
	_, err := h.run(ctx, "sync", verb, id)
	return err
}
