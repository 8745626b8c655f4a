package hub

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

const own = "dispatch/kite-2-7"

// alone returns the order to merge a task to a branch of its own.
func alone(task string) sync.Merge {
	return sync.Merge{
		Name: "ship-1", Subject: "task", Author: "E <e@e>", Onto: own,
		Trailers: [][2]string{{"Ocaptain-Task", task}}, Keep: "refs/ocaptain/tasks/" + task,
	}
}

func TestFindOnto(t *testing.T) {
	c := enlist(t, Options{})
	find := func(h *Hub, branch, task, want string) {
		t.Helper()
		if got, err := h.FindOnto(t.Context(), branch, "Ocaptain-Task", task); err != nil || got != want {
			t.Errorf("task %s on %s: %q, %v; want %q", task, branch, got, err, want)
		}
	}
	find(c.h, own, "7", "")
	if _, err := c.h.Merge(t.Context(), c.ship, alone("7")); err != nil {
		t.Fatal(err)
	}
	find(c.h, own, "7", "") // no merge so far
	put(t, c.ship.dir, "b.txt", "b\n")
	m, err := c.h.Merge(t.Context(), c.ship, alone("7"))
	if err != nil {
		t.Fatal(err)
	}
	find(c.h, own, "7", m.Commit)
	find(c.h, own, "77", "")
	find(c.h, "dispatch/kite-2-8", "7", "")
	again, err := Open(t.Context(), c.dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	find(again, own, "7", m.Commit)
	gitOutput(t, c.dir, "checkout", "-q", own) // the captain commits on top of it
	gitOutput(t, c.dir, "commit", "-q", "--allow-empty", "-m", "mine")
	find(again, own, "7", m.Commit)
	for _, wrong := range [][3]string{{"-x", "Ocaptain-Task", "7"}, {"voyage", "Ocaptain-Task", "7"}, {own, "a b", "7"}} {
		if _, err := again.FindOnto(t.Context(), wrong[0], wrong[1], wrong[2]); err == nil {
			t.Errorf("found by %q", wrong)
		}
	}
}

// TestOntoHostile: a merge to a branch of its own refuses what a merge to the voyage branch refuses.
func TestOntoHostile(t *testing.T) {
	c := enlist(t, Options{Limits: git.Limits{File: 1000}})
	refuses := func(paths ...string) {
		t.Helper()
		_, err := c.h.Merge(t.Context(), c.ship, alone("7"))
		var no *sync.Refused
		if !errors.As(err, &no) || !slices.Equal(no.Paths, paths) {
			t.Errorf("want a refusal of %v, have %v", paths, err)
		}
		if left := gitOutput(t, c.dir, "for-each-ref", "refs/heads/dispatch", git.RefHome); left != "" {
			t.Errorf("left %s", left)
		}
	}
	put(t, c.ship.dir, "large", strings.Repeat("x", 1001))
	refuses("large")
	put(t, c.ship.dir, "large", "small")
	put(t, c.ship.dir, ".gitmodules", "[submodule \"x\"]\n")
	refuses(".gitmodules")
}
