package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	stdsync "sync"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// TestLandKilled kills git at each moment of landing. The branch then is whole, the captain's files are in step with it,
// and the same call lands the work once.
func TestLandKilled(t *testing.T) {
	c := enlist(t, Options{})
	kill := c.killer(t)
	for n := 1; ; n += stride {
		work := fmt.Sprint("work ", n)
		put(t, c.ship.dir, "b.txt", work)
		commit := c.handIn()
		c.checkout()
		head := gitOutput(t, c.dir, "rev-parse", "voyage")
		order := c.order()
		order.Add = map[string][]byte{"docs/" + work: []byte(work)}
		kill(fmt.Sprint(n))
		_, err := c.h.Land(t.Context(), commit, order)
		kill("")
		if err == nil {
			t.Logf("%d moments", n-1)
			break
		}
		if n >= 80 {
			t.Fatal(err)
		}
		c.reopen()
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
			t.Fatalf("moment %d: %s", n, dirt)
		}
		m, err := c.h.Land(t.Context(), commit, order)
		if err != nil || gitOutput(t, c.dir, "rev-list", head+"..voyage") != m.Commit {
			t.Fatalf("moment %d: %+v, %v", n, m, err)
		}
		content(t, c.dir, "b.txt", work)
		content(t, c.dir, "docs/"+work, work)
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
			t.Fatalf("moment %d: %s", n, dirt)
		}
		c.checkout()
	}
	gitOutput(t, c.dir, "fsck", "--connectivity-only")
}

// TestLandedAtOnce judges two commits and the work of a tree at the same time, all under one name. Each comes in as it was
// judged.
func TestLandedAtOnce(t *testing.T) {
	c := enlist(t, Options{})
	var works []string
	for _, file := range []string{"one.txt", "two.txt"} {
		put(t, c.ship.dir, file, file)
		works = append(works, c.handIn())
		c.checkout()
	}
	put(t, c.ship.dir, "three.txt", "three.txt")
	var here, all stdsync.WaitGroup
	judged := func() func(context.Context, string) error {
		here.Add(1)
		first := stdsync.OnceFunc(func() { here.Done(); here.Wait() })
		return func(context.Context, string) error { first(); return nil }
	}
	for _, order := range []sync.Merge{c.order(), c.order(), c.order()} {
		order.Check = judged()
		commit := ""
		if len(works) > 0 {
			commit, works = works[0], works[1:]
		}
		all.Go(func() {
			var err error
			if commit == "" {
				_, err = c.h.Merge(t.Context(), c.ship, order)
			} else {
				_, err = c.h.Land(t.Context(), commit, order)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, file := range []string{"one.txt", "two.txt", "three.txt"} {
		content(t, c.dir, file, file)
	}
	if left := gitOutput(t, c.dir, "for-each-ref", git.RefTrial); left != "" {
		t.Error("left ", left)
	}
}

// TestLandsWhileMoved lands while another ship merges and the captain commits during checks, and gets its turn.
func TestLandsWhileMoved(t *testing.T) {
	c := enlist(t, Options{})
	other := c.second("ship-2")
	put(t, c.ship.dir, "b.txt", "b\n")
	commit := c.handIn()
	order, checks := c.order(), 0
	order.Check = func(context.Context, string) error {
		switch checks++; checks {
		case 1:
			return other.give("ship-2", "quick.txt", "quick\n")
		case 2:
			put(t, c.dir, "captain.txt", "by hand\n")
			gitOutput(t, c.dir, "add", "captain.txt")
			gitOutput(t, c.dir, "commit", "-q", "-m", "by hand")
		}
		return nil
	}
	if m, err := c.h.Land(t.Context(), commit, order); err != nil || m.Changed != 1 || checks != 3 || gitOutput(t, c.dir, "log", "-2", "--format=%s") != "task\nby hand" {
		t.Fatalf("%+v after %d checks, %v", m, checks, err)
	}
	content(t, c.dir, "b.txt", "b\n")
	content(t, c.dir, "quick.txt", "quick\n")
	content(t, c.dir, "captain.txt", "by hand\n")
}

// TestAddedFolds adds files where the captain's file system ignores case.
func TestAddedFolds(t *testing.T) {
	c := enlist(t, Options{})
	c.h.Folds = true
	put(t, c.ship.dir, "docs/b.txt", "b\n")
	commit := c.handIn()
	for _, name := range []string{"A.TXT", "DOCS/B.txt", "Docs", "A.txt/x"} {
		order := c.order()
		order.Add = map[string][]byte{name: []byte("added\n"), "fine": nil}
		_, err := c.h.Land(t.Context(), commit, order)
		var no *sync.Refused
		if !errors.As(err, &no) || !slices.Contains(no.Paths, name) || slices.Contains(no.Paths, "fine") {
			t.Errorf("%s: %v", name, err)
		}
	}
	order := c.order()
	order.Add = map[string][]byte{"Docs/c.txt": []byte("added\n")}
	if m, err := c.h.Land(t.Context(), commit, order); err != nil || m.Changed != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}
