package facts

import (
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestSendBack(t *testing.T) {
	var p Prompts
	for n, want := range []struct{ again, left bool }{{true, false}, {true, false}, {true, false}, {false, true}, {false, false}} {
		if again, left := p.SendBack("1"); again != want.again || left != want.left || p.LeftAlone != (n >= MaxPrompts) {
			t.Errorf("turn %d: it is sent back: %t, left alone: %t, %t", n, again, left, p.LeftAlone)
		}
	}
	if again, _ := p.SendBack("2"); !again || p.LeftAlone {
		t.Error("another task counts with the one before")
	}
	p.LeftAlone = true
	if p.Forgive(); p.LeftAlone {
		t.Error("it is not forgiven")
	}
	if again, _ := p.SendBack("2"); !again {
		t.Error("what was forgiven counts")
	}
}

// Helm tells an agent that claims nothing of ready tasks less and less often, until the agent tries to claim one.
func TestTell(t *testing.T) {
	var p Prompts
	var told []time.Duration
	ignored := 0
	for after := time.Duration(0); after < time.Hour; after += time.Second {
		wait, last := p.Tell(noon.Add(after))
		if wait <= 0 {
			told = append(told, after)
		}
		if last {
			ignored++
		}
	}
	n := len(told)
	if n < 8 || n > 12 || !slices.Equal(told[:3], []time.Duration{0, time.Second, 2 * time.Second}) || told[3] < 15*time.Second || told[n-1]-told[n-2] < 9*time.Minute {
		t.Errorf("told after %v", told)
	}
	if ignored != 1 || p.Ignored() != MaxPrompts {
		t.Errorf("ignored: reported %d times, %d", ignored, p.Ignored())
	}
	p.Forgive()
	if wait, _ := p.Tell(noon.Add(time.Hour)); wait > 0 || p.Ignored() != 0 {
		t.Errorf("forgiven: told after %s, ignored %d times", wait, p.Ignored())
	}
}

func TestTrouble(t *testing.T) {
	var is Trouble
	for n, want := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
		now := noon.Add(time.Duration(n) * time.Hour)
		if first := is.Add(now, "disk full"); first != (n == 0) || is.Rest(now) != want*time.Second || is.Rest(now.Add(want*time.Second)) > 0 || !is.Since.Equal(noon) {
			t.Errorf("trouble %d: first: %t, it rests for %s since %s", n, first, is.Rest(now), is.Since)
		}
	}
}

func TestStarts(t *testing.T) {
	var s Starts
	at := noon
	for n, want := range []time.Duration{10, 20, 40, 80, 160, 320, 320} {
		may, lost := s.Begin(at)
		if !may || lost != (n == MaxStarts-1) {
			t.Errorf("start %d: %t, lost: %t", n, may, lost)
		}
		next := at.Add(want * time.Second)
		if early, _ := s.Begin(next.Add(-time.Second)); early {
			t.Errorf("start %d: it starts too early again", n)
		}
		at = next
	}
	at = at.Add(11 * time.Minute)
	if may, _ := s.Begin(at); !may {
		t.Error("it does not start after a quiet time")
	}
	if may, _ := s.Begin(at.Add(10 * time.Second)); !may {
		t.Error("a quiet time is not forgiven")
	}
}
