package fleet

import (
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
)

func TestJudge(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	warn := Guards{MaxAge: 8 * time.Hour, IdleWarning: 30 * time.Minute}
	sink := Guards{MaxAge: 8 * time.Hour, SinkOld: true}
	done := Guards{SinkVerified: true}
	idle := Guards{IdleWarning: 30 * time.Minute}
	const long = 45 * time.Minute
	ship := func(age, idle time.Duration) *Ship {
		return &Ship{Name: "ship-1", Provider: "sprites", Phase: Afloat, Created: now.Add(-age), Idle: idle}
	}
	with := func(s *Ship, change func(*Ship)) *Ship { change(s); return s }
	old, young := ship(9*time.Hour, 0), ship(time.Hour, 0)
	for name, tt := range map[string]struct {
		g    Guards
		w    Watched
		why  string // how Judgement.Why begins
		sink string
	}{
		"young":                    {sink, Watched{Ship: young, Status: Idle}, "", ""},
		"just not old":             {sink, Watched{Ship: ship(8*time.Hour, 0), Status: Idle}, "", ""},
		"no guard":                 {Guards{}, Watched{Ship: ship(900*time.Hour, 900*time.Hour), Status: Idle}, "", ""},
		"old, to be told":          {warn, Watched{Ship: old, Status: Working, Holds: true}, "older than 8h", ""},
		"old at work":              {sink, Watched{Ship: old, Status: Working, Holds: true}, "older than 8h: it is sunk when its task is done", ""},
		"old between tasks":        {sink, Watched{Ship: old, Status: Working}, "older than 8h", ""},
		"old at rest":              {sink, Watched{Ship: old, Status: Idle}, "older than 8h", "older than 8h"},
		"old, its agent ended":     {sink, Watched{Ship: old, Status: Exited}, "older than 8h", "older than 8h"},
		"old with unmerged work":   {sink, Watched{Ship: old, Status: Idle, Unmerged: Unmerged{Changed: 1}}, "older than 8h, and not sunk, as 1 file is not merged", "older than 8h"},
		"old with a side branch":   {sink, Watched{ID: "v", Ship: old, Status: Idle, Unmerged: Unmerged{Sides: []sync.Side{{Branch: "x", Commits: 2}}}}, "older than 8h, and not sunk, as 2 commits on branch x are not merged: look with ocaptain shell v ship-1, then ocaptain ship rm ship-1 --voyage v", "older than 8h"},
		"old, out of reach":        {sink, Watched{Ship: old, Status: Unreachable}, "older than 8h, and not sunk: it cannot be reached", ""},
		"old, not heard of yet":    {sink, Watched{Ship: old, Status: Unknown}, "older than 8h", ""},
		"old, verifying":           {sink, Watched{Ship: old, Status: Done, Voyage: Verifying}, "older than 8h", ""},
		"old, half sunk":           {sink, Watched{Ship: with(ship(9*time.Hour, 0), func(s *Ship) { s.Phase = Going })}, "", "older than 8h"},
		"sunk by the captain":      {sink, Watched{Ship: with(ship(time.Hour, 0), func(s *Ship) { s.Phase = Going })}, "", ""},
		"old, not made":            {sink, Watched{Ship: with(ship(9*time.Hour, 0), func(s *Ship) { s.Phase = Failed })}, "", ""},
		"the clock was set back":   {sink, Watched{Ship: ship(-9*time.Hour, 0), Status: Idle}, "", ""},
		"created unknown":          {sink, Watched{Ship: with(ship(0, 0), func(s *Ship) { s.Created = time.Time{} }), Status: Idle}, "", ""},
		"verified":                 {done, Watched{Ship: young, Status: Done, Voyage: Complete}, "", "the voyage is verified"},
		"verified, last words":     {done, Watched{Ship: young, Status: Working, Voyage: Complete}, "", ""},
		"verified, unmerged":       {done, Watched{Ship: young, Status: Done, Voyage: Complete, Unmerged: Unmerged{Changed: 3}}, "the voyage is verified, and not sunk, as 3 files are not merged", "the voyage is verified"},
		"verified, out of reach":   {done, Watched{Ship: young, Status: Unreachable, Voyage: Complete}, "the voyage is verified, and not sunk: it cannot be reached", ""},
		"verified, nobody asked":   {warn, Watched{Ship: young, Status: Done, Voyage: Complete}, "", ""},
		"verify failed":            {done, Watched{Ship: young, Status: Done, Voyage: VerifyFailed}, "", ""},
		"not verified":             {done, Watched{Ship: young, Status: Idle, Voyage: Sailing}, "", ""},
		"rests":                    {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Idle}, "costs, and has rested for more than 30m", ""},
		"rests for a moment":       {idle, Watched{Costs: true, Ship: ship(time.Hour, time.Minute), Status: Idle}, "", ""},
		"rests, done":              {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Done}, "costs, and has rested for more than 30m", ""},
		"rests, could work":        {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Idle, Claimable: true}, "", ""},
		"holds a task":             {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Idle, Holds: true}, "", ""},
		"waits for an answer":      {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Waiting}, "", ""},
		"rests and costs nothing":  {idle, Watched{Ship: with(ship(time.Hour, long), func(s *Ship) { s.Provider = "hosts" }), Status: Idle}, "", ""},
		"rests, the captain pays":  {Guards{IdleWarning: time.Minute}, Watched{Costs: true, Ship: with(ship(time.Hour, long), func(s *Ship) { s.Provider = "hosts" }), Status: Idle}, "costs", ""},
		"rests, never to be told":  {Guards{}, Watched{Costs: true, Ship: ship(time.Hour, long), Status: Idle}, "", ""},
		"rests, too old: old wins": {warn, Watched{Costs: true, Ship: ship(9*time.Hour, long), Status: Idle}, "older than 8h", ""},
	} {
		got := tt.g.JudgeShip(now, tt.w)
		if !strings.HasPrefix(got.Why, tt.why) || tt.why == "" && got.Why != "" || got.Sink != tt.sink {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !sink.TooOldForTasks(now, old) || sink.TooOldForTasks(now, young) || warn.TooOldForTasks(now, old) {
		t.Error("who gets no tasks is not who is sunk")
	}
	v := &Voyage{CreatedAt: now.Add(-9 * time.Hour)}
	if got := warn.JudgeVoyage(now, v, 1); got != "the voyage is older than 8h and has ships out" {
		t.Error(got)
	}
	if got := warn.JudgeVoyage(now, v, 0) + idle.JudgeVoyage(now, v, 1); got != "" {
		t.Error(got)
	}
}

// Time in which helm could not see a ship does not make it idle; any sign of work ends its idle time.
func TestLooked(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var s Ship
	for i, step := range []struct {
		is    Word
		acted bool
		idle  time.Duration
	}{
		{Idle, false, 5},
		{Waiting, false, 10},
		{Unreachable, false, 10},
		{Unknown, false, 10},
		{Done, false, 15},
		{Idle, true, 0},
		{Idle, false, 5},
		{Working, false, 0},
		{Exited, false, 5},
	} {
		s.Looked(now, 5, step.is, step.acted)
		if s.Idle != step.idle {
			t.Errorf("step %d: idle for %d, want %d", i, s.Idle, step.idle)
		}
	}
	if !s.Worked.Equal(now) {
		t.Errorf("worked at %s", s.Worked)
	}
}

func TestBill(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	g := Guards{Prices: map[string]float64{"sprites": 0.5}}
	f := &Fleet{Gone: map[string]time.Duration{"sprites": 2 * time.Hour, "hosts": 9 * time.Hour}, Ships: []*Ship{
		{Provider: "sprites", Phase: Afloat, Created: now.Add(-3 * time.Hour)},
		{Provider: "sprites", Phase: Failed, Created: now.Add(-3 * time.Hour)},
		{Provider: "local", Phase: Afloat, Created: now.Add(-3 * time.Hour)},
	}}
	if got, want := g.AddUp(now, f), (Bill{Hour: 0.5, SoFar: 2.5}); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Guards{}).AddUp(now, f); got != (Bill{}) {
		t.Errorf("no price, and %+v", got)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{8 * time.Hour: "8h", 90 * time.Minute: "1h30m", 30 * time.Minute: "30m", 10 * time.Second: "10s", 100 * time.Minute: "1h40m", time.Hour + 10*time.Second: "1h0m10s", 20 * time.Hour: "20h"} {
		if got := FormatSpan(d); got != want {
			t.Errorf("%s: %s", got, want)
		}
	}
}
