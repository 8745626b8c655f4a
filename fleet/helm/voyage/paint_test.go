package voyage

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/records"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/helm/steering"
	"ocaptain/fleet/helm/verify"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/wake"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

var update = flag.Bool("update", false, "write testdata/board.json anew")

// painted is a voyage with something on every part of its board, and its tasks.
func painted(t *testing.T, now time.Time) (*Voyage, tasks.Snapshot) {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	task := func(id string, status tasks.Status, owner string, epoch uint64) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: id, Subject: "Task " + id, Status: status, Owner: owner}, Epoch: epoch}
	}
	held := task("2", tasks.InProgress, "ship-0", 3)
	held.ClaimedAt = ago(4 * time.Minute)
	done := task("1", tasks.Completed, "ship-0", 1)
	done.Commit, done.CompletedAt = "c0ffee", ago(5*time.Minute)
	all := tasks.Snapshot{Seq: 9, Tasks: []*tasks.State{done, held, task("3", tasks.Pending, "", 0)}, Problems: []string{"4.json: no JSON"}}

	info := fleet.Voyage{ID: "harbour-abc123", Name: "harbour", Branch: "feat/harbour", CreatedAt: ago(time.Hour)}
	v := &Voyage{Core: &core.Core{Context: t.Context(), Paint: wake.New(), Clock: func() guard.Clock { return guard.Clock{} }, Info: info, Kind: kindOf(info), Guards: fleet.Guards{MaxCost: 20, Prices: map[string]float64{"local": 0.5}}}, Tree: livetree.New(livetree.Options{})}
	var ships []*fleet.Ship
	for n, name := range []string{"ship-0", "ship-1", "ship-2"} {
		ships = append(ships, &fleet.Ship{Name: name, Number: n, Role: fleet.Worker, Agent: "claude", Provider: "local", Built: 1, Phase: fleet.Afloat, Created: ago(time.Hour)})
	}
	ships[2].Phase = fleet.Provisioning
	v.Roster = roster.New(roster.Options{}, fleet.Fleet{Phase: fleet.Sailing, Since: ago(50 * time.Minute), Ships: ships}, fleet.Recorder{})
	v.memory = memory{ships: map[string]*Ship{}}
	v.claims, v.Verifier = claims.New(claims.Options{Core: v.Core}), verify.New(v.Core, nil, nil)
	v.claims.SetHead("badcafe")
	v.watchman, v.Dispatcher = newWatchman(v), dispatcher.New(dispatcher.Options{Watch: dispatcher.NewWatch(dispatcher.WatchOptions{})})
	v.Fit = &fit.Fit{Paces: waiting(t, "ship-2", "clone")}
	v.Hinders = hindrance.New(hindrance.Options{})
	v.Spending = spending.New(spending.Options{Guards: &v.Guards}, spending.State{
		Usage:  facts.Usage{Ships: map[string]*facts.Used{"ship-0": {Built: 1, Turn: 7}}},
		Pauses: facts.Pauses{"": {Since: ago(time.Second)}, "ship-0": {Since: ago(time.Minute)}},
	})
	v.Steering = steering.New(steering.Options{}, steering.State{"2": {Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "2", Ship: "ship-0", Epoch: 3, Word: fleet.Waits, At: ago(time.Minute)}})
	v.Records = records.New(nil, facts.State{})
	v.Records.Conflict(facts.Conflict{Ship: "ship-0"}, false)
	var list proposals.List
	_, _ = list.Add(fleet.Proposal{ID: 1, Ship: "ship-0", Task: "2", Text: "split it", At: ago(time.Minute)})
	v.Proposals = proposals.New(proposals.Options{}, list)
	v.limits = limits.Limits{"login": &limits.Hold{Login: "login", Cause: agentlog.TroubleUsage, Why: "limit", Since: ago(time.Hour), Until: ago(time.Minute), Next: now.Add(time.Minute), Tries: 4}}

	s := &Ship{v: v, Ship: ship.New(ship.Options{Core: v.Core}, ships[0]), shipMemory: shipMemory{limit: limits.Ship{Name: "ship-0", Login: "login"}}}
	s.Reach.Arrived("tailnet")
	s.Reach.Note(link.Status{State: link.Connected, Since: ago(time.Hour)})
	s.known = resolve.Known{Ship: *ships[0], State: proto.AgentState{State: proto.StateWorking, Task: "2", Tool: "Edit"}, StateAt: ago(time.Second), EventAt: ago(time.Second), ActAt: ago(time.Second)}
	s.Copies.Recall(copies.State{Live: "d00d1e", Unmerged: fleet.Unmerged{Changed: 2}, Copied: ago(3 * time.Second), Uncopied: "connection lost"})
	s.Change(func(is *ship.State) {
		is.Refusals.Veto(tasks.ClaimID("2", 3), "its check failed")
		is.Refusals.Clash(ago(time.Minute), tasks.ClaimID("2", 3), []string{"main.go"})
	})
	s.Change(func(is *ship.State) {
		is.Budgets[ship.Log] = facts.Budget{What: "log", Burst: 1, Rate: 1, Most: time.Second}
		is.Budgets[ship.Log].Spend(ago(time.Minute), 99)
	})
	v.ships["ship-0"] = s
	idle := &Ship{v: v, Ship: ship.New(ship.Options{Core: v.Core}, ships[1]), shipMemory: shipMemory{limit: limits.Ship{Name: "ship-1", Login: "login"}}}
	idle.Reach.Note(link.Status{State: link.Connected})
	idle.known = resolve.Known{Ship: *ships[1], State: proto.AgentState{State: proto.StateLimited, Why: "limit"}, StateAt: ago(time.Hour)}
	idle.limit.HeldBack = true
	idle.Change(func(is *ship.State) { is.Trouble = facts.Trouble{Why: "checkout failed", Since: ago(time.Minute)} })
	idle.idle.Free = ago(30 * time.Minute)
	v.ships["ship-1"] = idle
	return v, all
}

// waiting are paces by which a ship has waited for a minute.
func waiting(t *testing.T, ship, whom string) *pace.Paces {
	ticks := make(chan time.Time)
	all := pace.New(t.Context(), func() (<-chan time.Time, func()) { return ticks, func() {} }, func() {})
	p, _ := all.Begin([]string{ship}, func(string) {})
	p.Await(whom)
	now := time.Now()
	for range 1 + time.Minute/pace.Look { // the first look may learn whom the voyage waits for
		now = now.Add(pace.Look)
		ticks <- now
	}
	eventually.Holds(t, "it has waited", func() bool { _, quiet := all.Of(ship); return quiet >= time.Minute })
	return all
}

// What the board shows is what helm remembers. -update rewrites testdata/board.json.
func TestPaintBoard(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v, all := painted(t, now)
	got, err := json.MarshalIndent(v.paintBoard(now, now.Add(-2*time.Hour), all, v.Kind.Look(all)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "board.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("%s differs; look at the difference, then: go test -update; got\n%s", file, got)
	}
}
