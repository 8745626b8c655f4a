package limits

import (
	"testing"
	"time"

	"ocaptain/fleet/agent/agentlog"
)

const week = 7 * 24 * time.Hour

// TestHoldByAWrongClock checks that a hold ends, with its reset and its tries, no later because of times that a wrong
// clock has set.
func TestHoldByAWrongClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	wrong := now.Add(26 * time.Hour)
	h := &Hold{Login: "claude"}
	h.Stopped(wrong, "ship-1", agentlog.Trouble{Kind: agentlog.TroubleUsage, Until: wrong.Add(time.Hour)}, false, week, 0.5)
	h.Stopped(wrong, "ship-2", agentlog.Trouble{Kind: agentlog.TroubleUsage, Until: wrong.Add(time.Hour)}, false, week, 0.5)
	next := h.Next.Sub(wrong)
	h.Believe(wrong.Add(time.Second))
	if !h.Next.Equal(wrong.Add(next)) {
		t.Errorf("a clock that goes on: %+v", h)
	}
	h.Believe(now)
	if !h.Next.Equal(now.Add(next)) || !h.Words["ship-1"].Equal(now.Add(time.Hour)) {
		t.Errorf("a clock that was set back: %+v", h)
	}
	h.NoteTold(h.Next, "ship-1", 0.5)
	h.Believe(h.Tried.Add(-time.Hour))
	if got := h.Tried; !h.Last.Equal(got) || h.MayTellNow(got) || !h.MayTellNow(got.Add(tryTime+time.Second)) {
		t.Errorf("a try: %+v", h)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	usage := agentlog.Trouble{Kind: agentlog.TroubleUsage, Why: "weekly limit", Until: now.Add(2 * time.Hour)}
	storm := agentlog.Trouble{Kind: agentlog.TroubleAPI, Why: "API overloaded"}
	h := &Hold{Login: "claude"}
	h.Stopped(now, "ship-1", storm, false, week, 0.5)
	if !h.Next.Equal(now.Add(firstPause)) || h.HoldsBack(now, "ship-3") || h.MayTellNow(now) || !h.MayTellNow(h.Next) {
		t.Errorf("a storm: %+v", h)
	}
	h.Stopped(now.Add(time.Second), "ship-2", storm, false, week, 0.5)
	if !h.Next.Equal(now.Add(firstPause)) || h.Tries != 0 {
		t.Errorf("a second ship puts the try off: %+v", h)
	}
	h.NoteTold(h.Next, "ship-1", 0.5)
	if h.MayTellNow(h.Next.Add(time.Minute)) || !h.MayTellNow(h.Next.Add(time.Hour)) {
		t.Error("one at a time, unless it is lost")
	}
	at := now.Add(time.Minute)
	h.Stopped(at, "ship-1", storm, true, week, 0.5)
	if h.Tries != 1 || h.Ship != "" || !h.Next.Equal(at.Add(30*time.Second)) {
		t.Errorf("after a failed try: %+v", h)
	}
	h.Stopped(at, "ship-2", usage, true, week, 0.5)
	if want := usage.Until.Add(resetSlack); !h.NextTry("ship-2").Equal(want) || !h.HoldsBack(at, "ship-2") {
		t.Errorf("a limit with a reset: %+v, want a try at %s", h, want)
	}
	if want := at.Add(time.Minute); !h.NextTry("ship-1").Equal(want) || !h.Next.Equal(want) {
		t.Errorf("one ship's limit holds another, which met a storm: %+v, want a try at %s", h, want)
	}
	h.Stopped(at, "ship-1", storm, false, week, 0.5)
	if h.Cause != agentlog.TroubleUsage || h.Why != "weekly limit" {
		t.Errorf("a storm hides the limit: %+v", h)
	}
	h.Worked(at, "ship-1", 0.5)
	if want := usage.Until.Add(resetSlack); !h.NextTry("ship-2").Equal(want) {
		t.Errorf("the limit of one is forgotten as another one works: %+v", h)
	}
	h.Worked(at, "ship-2", 0.5)
	if h.HoldsBack(at, "ship-2") || h.Tries != 0 || !h.MayTellNow(at.Add(3*time.Second)) {
		t.Errorf("after success: %+v", h)
	}
	h.NoteTold(at.Add(3*time.Second), "ship-2", 0.5)
	if h.MayTellNow(at.Add(3 * time.Second)) {
		t.Error("all follow at once")
	}
	h.Stopped(at.Add(4*time.Second), "ship-2", storm, true, week, 0.5)
	if h.Free || !h.Next.Equal(at.Add(34*time.Second)) {
		t.Errorf("one that follows fails: %+v", h)
	}
	h.NoteTold(h.Next, "ship-2", 0.5)
	h.NoResultFrom(h.Next, "ship-2", 0.5)
	if h.Ship != "" {
		t.Error("a ship that is gone still tries")
	}
}
