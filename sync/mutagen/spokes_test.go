package mutagen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// star is a hub's tree and the sessions of several ships with it.
type star struct {
	*testing.T
	hub   string
	ships []*pair
}

func newStar(t *testing.T, h *Home, n int) *star {
	t.Helper()
	s := &star{T: t, hub: t.TempDir()}
	for range n {
		s.join(h)
	}
	return s
}

// join adds a ship with an empty tree.
func (s *star) join(h *Home) *pair {
	s.Helper()
	p := h.pair(s.T, Spec{
		Mode: TwoWay, A: Endpoint{Path: s.hub}, B: Endpoint{Path: s.TempDir()}, Labels: map[string]string{"ocaptain.voyage": "voyage-1", "ocaptain.ship": fmt.Sprint("ship-", len(s.ships))},
	})
	s.ships = append(s.ships, p)
	return p
}

// flush flushes all sessions twice: to the hub, and from the hub to the ships.
func (s *star) flush() {
	s.Helper()
	for range 2 {
		for _, p := range s.ships {
			if !p.state().Paused {
				p.flush()
			}
		}
	}
}

func (s *star) pause(verb func(*Home, *pair) error) {
	s.Helper()
	for _, p := range s.ships {
		if err := verb(p.h, p); err != nil {
			s.Fatal(err)
		}
	}
}

// TestStar has four ships around a hub. Each ship gets what one ship writes, once. If all ships write the same file
// at once, one version spreads, and each other ship keeps its own. Ships that were away, join or leave must not
// disturb the others.
func TestStar(t *testing.T) {
	h := open(t)
	s := newStar(t, h, 4)
	put(t, s.hub, map[string]string{"x": "0", "same": "0", "all/begin": "0"})
	s.flush()
	hold := func(h *Home, p *pair) error { return h.Pause(t.Context(), p.id) }
	goOn := func(h *Home, p *pair) error { return h.Resume(t.Context(), p.id) }

	s.pause(hold)
	for i, p := range s.ships {
		put(t, p.spec.B.Path, map[string]string{"x": fmt.Sprint("by ", i), "same": "by all", fmt.Sprint("all/", i): "mine"})
	}
	s.pause(goOn)
	s.flush()
	won := texts(t, s.hub)["x"]
	if !strings.HasPrefix(won, "by ") {
		t.Errorf("the hub has %q", won)
	}
	for i, p := range s.ships {
		mine := fmt.Sprint("by ", i)
		st := p.state()
		if (st.CountConflicts() == 0) != (won == mine) || st.CountConflicts() > 1 || texts(t, p.spec.B.Path)["x"] != mine {
			t.Errorf("ship-%d has %q, the hub %q: %+v", i, texts(t, p.spec.B.Path)["x"], won, st.Conflicts)
		}
		has(t, p.spec.B.Path, map[string]string{"same": "by all", "all/0": "mine", "all/3": "mine"})
	}

	// No file is copied again and again.
	before := make([]map[string]string, len(s.ships))
	for i, p := range s.ships {
		before[i] = stamps(t, p.spec.B.Path)
	}
	s.flush()
	for i, p := range s.ships {
		if now := stamps(t, p.spec.B.Path); fmt.Sprint(now) != fmt.Sprint(before[i]) {
			t.Errorf("ship-%d: files were written again", i)
		}
	}

	// One ship is away while the others write, and returns.
	away := s.ships[3]
	if err := hold(h, away); err != nil {
		t.Fatal(err)
	}
	put(t, away.spec.B.Path, map[string]string{"all/3": "while away", "late": "1"})
	for i := range 3 {
		put(t, s.ships[i].spec.B.Path, map[string]string{fmt.Sprint("all/", i): "meanwhile"})
		s.flush()
	}
	if err := os.Remove(filepath.Join(s.hub, "all/begin")); err != nil {
		t.Fatal(err)
	}
	comes := s.join(h)
	has(t, comes.spec.B.Path, map[string]string{"all/0": "meanwhile", "x": won})
	if err := goOn(h, away); err != nil {
		t.Fatal(err)
	}
	s.flush()
	for _, p := range s.ships {
		has(t, p.spec.B.Path, map[string]string{"all/0": "meanwhile", "all/1": "meanwhile", "all/3": "while away", "late": "1", "all/begin": ""})
	}

	// A ship is lost with its disk, and a new ship with an empty disk gets its name.
	if err := h.Terminate(t.Context(), away.id); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(away.spec.B.Path); err != nil {
		t.Fatal(err)
	}
	s.ships = append(s.ships[:3], s.ships[4:]...)
	s.flush()
	has(t, s.hub, map[string]string{"late": "1", "x": won})
	again := h.pair(t, away.spec)
	has(t, again.spec.B.Path, map[string]string{"late": "1", "x": won, "all/2": "meanwhile"})

	// A ship's disk is wiped: that stops its session, and no other.
	if err := os.RemoveAll(again.spec.B.Path); err != nil {
		t.Fatal(err)
	}
	if err := h.Flush(t.Context(), again.id); err == nil || again.state().Halted() == "" {
		t.Errorf("%v: %+v", err, again.state())
	}
	put(t, comes.spec.B.Path, map[string]string{"after": "1"})
	s.flush()
	has(t, s.ships[0].spec.B.Path, map[string]string{"after": "1", "late": "1"})
}
