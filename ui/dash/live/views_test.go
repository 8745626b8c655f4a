package live

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
)

// Ships off the screen stay linked for a while, up to a number.
func TestWarmLinks(t *testing.T) {
	s := shiptest.Start(t, "printf ready; exec cat")
	var links atomic.Int64
	v := NewViews("voyage-1", func(_ context.Context, ship string) (*link.Link, error) {
		links.Add(1)
		return link.Open(s.Config())
	}, func() {})
	defer v.Close()
	linked := func() int {
		v.mu.Lock()
		defer v.mu.Unlock()
		n := 0
		for _, s := range v.sessions {
			s.mu.Lock()
			if s.link != nil {
				n++
			}
			s.mu.Unlock()
		}
		return n
	}
	for i := range maxWarm + 4 {
		ship := fmt.Sprint("ship-", i)
		v.ShowOnly(ship)
		eventually.Holds(t, ship+" is live", func() bool { return v.PaneOf(ship).IsLive() && len(v.PaneOf(ship).View(80, 24)) == 24 })
	}
	if n := linked(); n > maxWarm+1 {
		t.Errorf("%d links", n)
	}
	before := links.Load()
	v.ShowOnly(fmt.Sprint("ship-", maxWarm))
	v.ShowOnly(fmt.Sprint("ship-", maxWarm+1))
	eventually.Holds(t, "it is live", v.PaneOf(fmt.Sprint("ship-", maxWarm+1)).IsLive)
	if n := links.Load(); n != before {
		t.Errorf("%d links were opened for ships that were linked", n-before)
	}
	v.warm = 10 * time.Millisecond
	v.ShowOnly()
	v.ShowOnly("ship-0")
	v.ShowOnly()
	eventually.Holds(t, "the last to be shown is not linked", func() bool { return v.sessionOf("ship-0").isIdle() })
}

// When a ship returns to the screen and no frame follows, its last frame is old.
func TestOldFrameIsNotLive(t *testing.T) {
	s := shiptest.Start(t, "printf ready; exec cat")
	v := NewViews("voyage-1", func(context.Context, string) (*link.Link, error) { return link.Open(s.Config()) }, func() {})
	defer v.Close()
	v.ShowOnly("ship-0")
	p := v.PaneOf("ship-0")
	eventually.Holds(t, "it is live", p.IsLive)
	v.ShowOnly()
	s.Wire.Freeze()
	v.ShowOnly("ship-0")
	eventually.Holds(t, "it is not live", func() bool { return !p.IsLive() })
	s.Wire.Mend()
	eventually.Holds(t, "it is live again", p.IsLive)
}
