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
	// TwoWay copies each side's changes to the other. A file that both sides have changed is a conflict, and stays as
	// it is on each side.
	TwoWay = "two-way-safe"

	// Replica makes the second side like the first.
	Replica = "one-way-replica"
)

// Endpoint is one side of a session.
type Endpoint struct {
	Host string // Host.Name of AddHost, "" for this machine
	Path string // absolute path; its parent must exist
}

func (e Endpoint) url() string {
	if e.Host == "" {
		return e.Path
	}
	return e.Host + ":" + e.Path
}

// Spec says which directories a session keeps the same, and how.
type Spec struct {
	Mode   string
	A, B   Endpoint
	Labels map[string]string // identify the session
	Ignore []string          // Mutagen's patterns for files that do not travel
}

// Limits of one side. More stops the session with an error.
const (
	mostEntries = "500000"
	mostFile    = "2GB" // size of a file; a larger one is a problem
)

// Ignored are the patterns of files that never travel: git's own files, and files that tools can make again
// within minutes.
var Ignored = []string{
	".git", ".DS_Store", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".gradle", "target", "dist",
	".next", ".turbo", ".parcel-cache", ".terraform",
}

// Ensure returns the id of the session with spec's labels, and makes the session if there is none like spec. A paused
// session stays paused.
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

// shares reports whether e is on another machine and one of spec's sides.
func shares(e Endpoint, spec Spec) bool { return e.Host != "" && (e == spec.A || e == spec.B) }

// create makes a session, and returns its id once both sides are connected.
func (h *Home) create(ctx context.Context, spec Spec) (string, error) {
	args := []string{
		"sync", "create", "--no-global-configuration", "--mode=" + spec.Mode, "--ignore-vcs", "--max-entry-count=" + mostEntries, "--max-staging-file-size=" + mostFile,
	}
	if spec.Mode == Replica { // no agent works in a replica
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

// Labelled returns the sessions that have all of the labels.
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

// Pause pauses a session.
func (h *Home) Pause(ctx context.Context, id string) error { return h.order(ctx, "pause", id) }

// Resume continues a paused session.
func (h *Home) Resume(ctx context.Context, id string) error { return h.order(ctx, "resume", id) }

// Reset makes a session forget the last common state, so that a file that only one side has is copied to the other.
// It also continues a halted session.
func (h *Home) Reset(ctx context.Context, id string) error { return h.order(ctx, "reset", id) }

// Terminate ends a session. The files on both sides stay.
func (h *Home) Terminate(ctx context.Context, id string) error { return h.order(ctx, "terminate", id) }

// Flush scans both sides of a session and copies the differences. Afterwards State has the paths that it could not
// copy.
func (h *Home) Flush(ctx context.Context, id string) error { return h.order(ctx, "flush", id) }

func (h *Home) order(ctx context.Context, verb, id string) error {
	if !strings.HasPrefix(id, "sync_") {
		return fmt.Errorf("mutagen: %.80q is no session", id)
	}
	_, err := h.run(ctx, "sync", verb, id)
	return err
}
