package guard

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/sync"
)

func TestJudge(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	warn := fleet.Guards{MaxAge: 8 * time.Hour, IdleWarning: 30 * time.Minute}
	sink := fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true}
	done := fleet.Guards{SinkVerified: true}
	idle := fleet.Guards{IdleWarning: 30 * time.Minute}
	const long = 45 * time.Minute
	ship := func(age, idle time.Duration) *fleet.Ship {
		return &fleet.Ship{Name: "ship-1", Provider: "sprites", Phase: fleet.Afloat, Created: now.Add(-age), Idle: idle}
	}
	with := func(s *fleet.Ship, change func(*fleet.Ship)) *fleet.Ship { change(s); return s }
	old, young := ship(9*time.Hour, 0), ship(time.Hour, 0)
	for name, tt := range map[string]struct {
		g    fleet.Guards
		w    Watched
		why  string // how Judgement.Why begins
		sink string
	}{
		"young":                    {sink, Watched{Ship: young, Status: fleet.Idle}, "", ""},
		"just not old":             {sink, Watched{Ship: ship(8*time.Hour, 0), Status: fleet.Idle}, "", ""},
		"no guard":                 {fleet.Guards{}, Watched{Ship: ship(900*time.Hour, 900*time.Hour), Status: fleet.Idle}, "", ""},
		"old, to be told":          {warn, Watched{Ship: old, Status: fleet.Working, Holds: true}, "older than 8h", ""},
		"old at work":              {sink, Watched{Ship: old, Status: fleet.Working, Holds: true}, "older than 8h: it is sunk when its task is done", ""},
		"old between tasks":        {sink, Watched{Ship: old, Status: fleet.Working}, "older than 8h", ""},
		"old at rest":              {sink, Watched{Ship: old, Status: fleet.Idle}, "older than 8h", "older than 8h"},
		"old, its agent ended":     {sink, Watched{Ship: old, Status: fleet.Exited}, "older than 8h", "older than 8h"},
		"old with unmerged work":   {sink, Watched{Ship: old, Status: fleet.Idle, Unmerged: fleet.Unmerged{Changed: 1}}, "older than 8h, and not sunk, as 1 file is not merged", "older than 8h"},
		"old with a side branch":   {sink, Watched{ID: "v", Ship: old, Status: fleet.Idle, Unmerged: fleet.Unmerged{Sides: []sync.Side{{Branch: "x", Commits: 2}}}}, "older than 8h, and not sunk, as 2 commits on branch x are not merged: look with ocaptain shell v ship-1, then ocaptain ship rm ship-1 --voyage v", "older than 8h"},
		"old, out of reach":        {sink, Watched{Ship: old, Status: fleet.Unreachable}, "older than 8h, and not sunk: it cannot be reached", ""},
		"old, not heard of yet":    {sink, Watched{Ship: old, Status: fleet.Unknown}, "older than 8h", ""},
		"old, verifying":           {sink, Watched{Ship: old, Status: fleet.Done, Voyage: fleet.Verifying}, "older than 8h", ""},
		"old, half sunk":           {sink, Watched{Ship: with(ship(9*time.Hour, 0), func(s *fleet.Ship) { s.Phase = fleet.Going })}, "", "older than 8h"},
		"sunk by the captain":      {sink, Watched{Ship: with(ship(time.Hour, 0), func(s *fleet.Ship) { s.Phase = fleet.Going })}, "", ""},
		"old, not made":            {sink, Watched{Ship: with(ship(9*time.Hour, 0), func(s *fleet.Ship) { s.Phase = fleet.Failed })}, "", ""},
		"the clock was set back":   {sink, Watched{Ship: ship(-9*time.Hour, 0), Status: fleet.Idle}, "", ""},
		"created unknown":          {sink, Watched{Ship: with(ship(0, 0), func(s *fleet.Ship) { s.Created = time.Time{} }), Status: fleet.Idle}, "", ""},
		"verified":                 {done, Watched{Ship: young, Status: fleet.Done, Voyage: fleet.Complete}, "", "the voyage is verified"},
		"verified, last words":     {done, Watched{Ship: young, Status: fleet.Working, Voyage: fleet.Complete}, "", ""},
		"verified, unmerged":       {done, Watched{Ship: young, Status: fleet.Done, Voyage: fleet.Complete, Unmerged: fleet.Unmerged{Changed: 3}}, "the voyage is verified, and not sunk, as 3 files are not merged", "the voyage is verified"},
		"verified, out of reach":   {done, Watched{Ship: young, Status: fleet.Unreachable, Voyage: fleet.Complete}, "the voyage is verified, and not sunk: it cannot be reached", ""},
		"verified, nobody asked":   {warn, Watched{Ship: young, Status: fleet.Done, Voyage: fleet.Complete}, "", ""},
		"verify failed":            {done, Watched{Ship: young, Status: fleet.Done, Voyage: fleet.VerifyFailed}, "", ""},
		"not verified":             {done, Watched{Ship: young, Status: fleet.Idle, Voyage: fleet.Sailing}, "", ""},
		"rests":                    {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Idle}, "costs, and has rested for more than 30m", ""},
		"rests for a moment":       {idle, Watched{Costs: true, Ship: ship(time.Hour, time.Minute), Status: fleet.Idle}, "", ""},
		"rests, done":              {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Done}, "costs, and has rested for more than 30m", ""},
		"rests, could work":        {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Idle, Claimable: true}, "", ""},
		"holds a task":             {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Idle, Holds: true}, "", ""},
		"waits for an answer":      {idle, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Waiting}, "", ""},
		"rests and costs nothing":  {idle, Watched{Ship: with(ship(time.Hour, long), func(s *fleet.Ship) { s.Provider = "hosts" }), Status: fleet.Idle}, "", ""},
		"rests, the captain pays":  {fleet.Guards{IdleWarning: time.Minute}, Watched{Costs: true, Ship: with(ship(time.Hour, long), func(s *fleet.Ship) { s.Provider = "hosts" }), Status: fleet.Idle}, "costs", ""},
		"rests, never to be told":  {fleet.Guards{}, Watched{Costs: true, Ship: ship(time.Hour, long), Status: fleet.Idle}, "", ""},
		"rests, too old: old wins": {warn, Watched{Costs: true, Ship: ship(9*time.Hour, long), Status: fleet.Idle}, "older than 8h", ""},
	} {
		got := JudgeShip(tt.g, now, tt.w)
		if !strings.HasPrefix(got.Why, tt.why) || tt.why == "" && got.Why != "" || got.Sink != tt.sink {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !TooOldForTasks(sink, now, old) || TooOldForTasks(sink, now, young) || TooOldForTasks(warn, now, old) {
		t.Error("who gets no tasks is not who is sunk")
	}
	v := &fleet.Voyage{CreatedAt: now.Add(-9 * time.Hour)}
	if got := JudgeVoyage(warn, now, v, 1); got != "the voyage is older than 8h and has ships out" {
		t.Error(got)
	}
	if got := JudgeVoyage(warn, now, v, 0) + JudgeVoyage(idle, now, v, 1); got != "" {
		t.Error(got)
	}
}
