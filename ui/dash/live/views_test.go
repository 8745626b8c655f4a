package live

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/sync/eventually"
	"ocaptain/ui/attach/shiptest"
)

// Ships that went off the screen stay linked for a while, and not more than some.
func TestWarmLinks(t *testing.T) {
	s := shiptest.Start(t, "printf ready; exec cat")
	var links atomic.Int64
	v := Over(func(_ context.Context, ship string) (*link.Link, error) {
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
	for i := range mostWarm + 4 {
		ship := fmt.Sprint("ship-", i)
		v.Show(ship)
		eventually.Holds(t, ship+" is live", func() bool { return v.Pane(ship).Live() && len(v.Pane(ship).View(80, 24)) == 24 })
	}
	if n := linked(); n > mostWarm+1 {
		t.Errorf("%d links", n)
	}
	before := links.Load()
	v.Show(fmt.Sprint("ship-", mostWarm))
	v.Show(fmt.Sprint("ship-", mostWarm+1))
	eventually.Holds(t, "it is live", v.Pane(fmt.Sprint("ship-", mostWarm+1)).Live)
	if n := links.Load(); n != before {
		t.Errorf("%d links were opened for ships that were linked", n-before)
	}
	v.warm = 10 * time.Millisecond
	v.Show()
	v.Show("ship-0")
	v.Show()
	eventually.Holds(t, "the last to be shown is not linked", func() bool { return v.find("ship-0").cold() })
}

// A frame that is not followed by another when the ship is back on the screen is old.
func TestOldFrameIsNotLive(t *testing.T) {
	s := shiptest.Start(t, "printf ready; exec cat")
	v := Over(func(context.Context, string) (*link.Link, error) { return link.Open(s.Config()) }, func() {})
	defer v.Close()
	v.Show("ship-0")
	p := v.Pane("ship-0")
	eventually.Holds(t, "it is live", p.Live)
	v.Show()
	s.Wire.Freeze()
	v.Show("ship-0")
	eventually.Holds(t, "it is not live", func() bool { return !p.Live() })
	s.Wire.Mend()
	eventually.Holds(t, "it is live again", p.Live)
}
