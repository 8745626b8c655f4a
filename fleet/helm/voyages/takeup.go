package voyages

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
)

// lateTries is how long helm waits before each further attempt to take up a voyage.
var lateTries = []time.Duration{time.Second, 4 * time.Second, 15 * time.Second}

// takeUp takes up every voyage that is on disk and not sunk. A voyage that cannot be taken up does not stop the others, and is tried again.
func (h *Set) takeUp() {
	dirs, err := fleet.Voyages(h.Hub.Voyages).List()
	if err != nil {
		h.log.Error("voyages cannot be listed", "error", err)
	}
	var left []fleet.Dir
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err == nil && f.Phase == fleet.Sunk || h.ctx.Err() != nil {
			continue // a sunk voyage is opened on demand
		}
		if _, err := h.open(d); err != nil {
			left = append(left, d)
		}
	}
	if len(left) > 0 {
		h.jobs.Go(func() { h.takeUpLate(left) })
	}
}

// takeUpLate tries again to take up voyages. What was in the way may go by itself, such as a lock that a program of the previous helm
// holds for a moment. takeUpLate logs only the voyages that wait after the last attempt.
func (h *Set) takeUpLate(left []fleet.Dir) {
	for _, pause := range h.lateTries {
		if retry.Sleep(h.ctx, pause) != nil {
			return
		}
		left = slices.DeleteFunc(left, func(d fleet.Dir) bool { return h.isRemoved(d) || h.isTakenUp(d) })
	}
	for _, d := range left {
		h.mu.Lock()
		why := h.damaged[d.ID()]
		h.mu.Unlock()
		if why != "" && h.ctx.Err() == nil {
			h.log.Warn("a voyage waits; helm takes it up at the next command about it, once nothing is in the way", "voyage", d.ID(), "in the way", why)
		}
	}
}

func (h *Set) isTakenUp(d fleet.Dir) bool {
	_, err := h.open(d)
	return err == nil
}

// isRemoved reports whether the directory of a voyage that could not be taken up was removed meanwhile.
func (h *Set) isRemoved(d fleet.Dir) bool {
	_, err := os.Stat(string(d))
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.damaged, d.ID())
	return true
}
