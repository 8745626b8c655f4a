// Package needtest has a board for each kind of need, for tests.
package needtest

import (
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Board says how a kind of need arises, and how its text begins.
type Board struct {
	Says string
	// Arises changes the board of Calm into one with the need, which helm has known since that time.
	Arises func(b *fleet.Board, since time.Time)
}

// NoHelm is why there is no helm in the case of that need.
const NoHelm = "helm.log cannot be opened"

// Boards has a board for each kind of need except for helm's, which no board has.
var Boards = map[fleet.NeedKind]Board{
	fleet.NeedHelm:  {"helm is away: " + NoHelm, nil},
	fleet.NeedDisk:  {"the hub cannot write: no space left", func(b *fleet.Board, since time.Time) { b.Disk.Set(since, "no space left") }},
	fleet.NeedRedis: {"the hub has no part in the session: connection refused", func(b *fleet.Board, since time.Time) { b.Redis.Set(since, "connection refused") }},
	fleet.NeedRepository: {"the hub cannot merge: a merge of yours is under way", func(b *fleet.Board, since time.Time) {
		b.Repository.Set(since, "a merge of yours is under way")
	}},
	fleet.NeedShips: {"the voyage lacks ships: 2 tasks are open", func(b *fleet.Board, _ time.Time) {
		b.Ships, b.Tasks[1].Status = nil, tasks.Pending
	}},
	fleet.NeedStuck: {"the voyage is stuck: 2 open tasks wait for tasks that there are not", func(b *fleet.Board, _ time.Time) {
		b.Tasks[1].Status, b.Tasks[1].BlockedBy, b.Ships[0].Task = tasks.Pending, []string{"9"}, ""
	}},
	fleet.NeedAnswer:      {"ship-0, task 2 asks you: may it run make?", waits("may it run make?", "")},
	fleet.NeedInterrupted: {"ship-0, task 2 waits: " + proto.Interrupted, waits(proto.Interrupted, "")},
	fleet.NeedLogin:       {"ship-0, task 2 cannot log in: please log in", waits("please log in", string(agentlog.TroublePerson))},
	fleet.NeedLimited: {"ship-0 is refused by its service: session limit", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Refused, b.Ships[0].State.Why = since.Add(-time.Hour), "session limit"
	}},
	fleet.NeedSteering: {"ship-0, task 2 waits for your word: it changes files that steer agents: CLAUDE.md", func(b *fleet.Board, since time.Time) {
		b.Steering = []fleet.Steering{{Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "2", Ship: "ship-0", Word: fleet.Waits, At: since}}
	}},
	fleet.NeedPlan: {"task 3 waits for your word: it is to consist of 4 tasks", func(b *fleet.Board, since time.Time) {
		b.Tasks[2].OnHold, b.Tasks[2].Proposed, b.Tasks[2].RequeuedAt = true, 4, since
	}},
	fleet.NeedHold: {"task 3 is on hold: make fails", func(b *fleet.Board, since time.Time) {
		b.Tasks[2].OnHold, b.Tasks[2].Reason, b.Tasks[2].RequeuedAt = true, "make fails", since
	}},
	fleet.NeedConflict: {"ship-0, task 2 conflicts: 3 times in a row, the last in a.go", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Clash = fleet.Clash{Tries: 3, Paths: []string{"a.go"}, Since: since}
	}},
	fleet.NeedInTheWay: {"ship-0, task 2 waits for your files: a.go is not committed", func(b *fleet.Board, since time.Time) {
		b.InTheWay = map[string]fleet.Hindrance{"2": {Why: "a.go is not committed", Since: since}}
	}},
	fleet.NeedTree: {"ship-0, task 2 is out of step: 5 files clash, changed on both sides: a.go", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Tree = fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"a.go"}, MoreConflicts: 4, ConflictSince: since}
	}},
	fleet.NeedUncommitted: {"ship-0, task 2 commits nothing: it was told 2 times to commit what it has of dispatch 2", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Nudges, b.Ships[0].Committed = 3, since
	}},
	fleet.NeedBudget: {"the voyage spends its budget: its agents have cost $8.00 of $10.00", func(b *fleet.Board, since time.Time) {
		b.Budget = fleet.Budget{Max: 10, Spent: 8, Since: since}
	}},
	fleet.NeedRate: {"ship-0 costs too much: its agent may cost $3.00 within an hour, and begins nothing until", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Rate = fleet.Rate{Max: 3, Spent: 3.5, Since: since, Until: since.Add(time.Hour)}
	}},
	fleet.NeedFlood: {"ship-0 sends too much: too much of its log and requests", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Slowed, b.Ships[0].SlowedAt = []string{"log", "requests"}, since
	}},
	fleet.NeedVerify: {"the voyage failed to verify: 2 tests failed", func(b *fleet.Board, since time.Time) {
		b.Phase, b.Since, b.Tasks, b.Verify.Output = fleet.VerifyFailed, since, b.Tasks[:1], "one\n2 tests failed\n\n"
	}},
	fleet.NeedUnverified: {"the voyage cannot be verified: no bash", func(b *fleet.Board, since time.Time) {
		b.Phase, b.Tasks = fleet.Verifying, b.Tasks[:1]
		b.Unverified.Set(since, "no bash")
	}},
	fleet.NeedBeads: {"bd does not read the issues: it is locked", func(b *fleet.Board, since time.Time) { b.Unread.Set(since, "it is locked") }},
	fleet.NeedConversation: {"ship-0, task 2 cannot go on talking: too long", func(b *fleet.Board, since time.Time) {
		known(b, afloat(b, proto.AgentState{State: proto.StateFailed, Why: "too long", Trouble: string(agentlog.TroubleFull)}, since))
	}},
	fleet.NeedFailed: {"ship-0, task 2 has failed: ocaptain does not run on it: no bash", func(b *fleet.Board, since time.Time) {
		k := afloat(b, proto.AgentState{}, since)
		k.Silent, k.SilentAt = "no bash", since
		known(b, k)
	}},
	fleet.NeedExited: {"ship-0, task 2 has exited: it gave up", func(b *fleet.Board, since time.Time) {
		k := afloat(b, proto.AgentState{}, since)
		k.Exit, k.ExitAt = &proto.AgentExited{Final: true, Code: 1, Reason: "it gave up"}, since
		known(b, k)
	}},
	fleet.NeedLeftAlone: {"ship-0, task 2 is left alone: its turns end", func(b *fleet.Board, since time.Time) {
		k := afloat(b, proto.AgentState{State: proto.StateIdle}, since)
		k.LeftAlone = true
		known(b, k)
	}},
	fleet.NeedStalled: {"ship-0, task 2 is stalled: no sign of work", func(b *fleet.Board, since time.Time) {
		known(b, afloat(b, proto.AgentState{State: proto.StateWorking}, since.Add(-2*fleet.StallAfter)))
	}},
	fleet.NeedFull: {"ship-0, task 2 has used up its disk: it uses 12.0 GB", func(b *fleet.Board, since time.Time) {
		k := afloat(b, proto.AgentState{State: proto.StateWorking}, since)
		k.Connected, k.LinkError, k.Full = false, "no such socket", "it uses 12.0 GB"
		known(b, k)
	}},
	fleet.NeedUnreachable: {"ship-0 cannot be reached: no route", func(b *fleet.Board, since time.Time) {
		k := afloat(b, proto.AgentState{State: proto.StateWorking}, since)
		k.Connected, k.LinkError = false, "no route"
		known(b, k)
	}},
	fleet.NeedMachine: {"ship-1 is not gone: the service says 500", func(b *fleet.Board, since time.Time) {
		b.Ships[1].Phase, b.Ships[1].Error, b.Ships[1].StaysAt = fleet.Going, "the service says 500", since
	}},
	fleet.NeedOrphans: {"providers have machines that no voyage has: 4 machines: a, b, c", func(b *fleet.Board, _ time.Time) { b.Orphans = []string{"a", "b", "c", "d"} }},
	fleet.NeedRecords: {"the voyage has damaged files: 2.json is no task", func(b *fleet.Board, _ time.Time) { b.Problems = []string{"2.json is no task"} }},
	fleet.NeedCost:    {"ship-1 costs: older than 8h", func(b *fleet.Board, _ time.Time) { b.Ships[1].Guard = "older than 8h" }},
	fleet.NeedProposal: {"ship-1 proposes: add a task", func(b *fleet.Board, since time.Time) {
		b.Proposals = []fleet.Proposal{{ID: 1, At: since, Ship: "ship-1", Text: "add a task: " + strings.Repeat("é", 200)}}
	}},
}

// Calm returns the board of a voyage without needs: one ship works, one task is done and one waits.
func Calm(now time.Time) *fleet.Board {
	b := &fleet.Board{
		At: now, Voyage: fleet.Voyage{ID: "voyage-0123456789ab", Name: "needy", CreatedAt: now}, Phase: fleet.Sailing, Since: now,
		Ships: []fleet.ShipView{{Task: "2"}, {Ship: fleet.Ship{Name: "ship-1", Number: 1, Phase: fleet.Afloat}, Status: fleet.Status{Word: fleet.Idle, Since: now}}},
		Tasks: []tasks.State{
			{Task: tasks.Task{ID: "1", Subject: "one", Status: tasks.Completed}},
			{Task: tasks.Task{ID: "2", Subject: "two", Status: tasks.InProgress, Owner: "ship-0", BlockedBy: []string{"1"}}},
			{Task: tasks.Task{ID: "3", Subject: "three", Status: tasks.Pending, BlockedBy: []string{"2"}}},
		},
	}
	known(b, afloat(b, proto.AgentState{State: proto.StateWorking}, now))
	return b
}

// afloat returns the facts of a ship at work whose agent was last heard of at that time.
func afloat(b *fleet.Board, s proto.AgentState, since time.Time) resolve.Known {
	return resolve.Known{
		Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Afloat}, Link: resolve.Link{Connected: true, LinkSince: since}, Pulse: proto.Pulse{Runner: true, Agent: true}, PulseAt: b.At,
		State: s, StateAt: since, EventAt: since, ActAt: since, Work: resolve.Work{Held: "2", HeldAt: since},
	}
}

// known puts a ship on the board as helm does: with the status that resolves from the facts.
func known(b *fleet.Board, k resolve.Known) {
	b.Ships[0].Status, b.Ships[0].Ship = resolve.Status(b.At, k), k.Ship
}

// waits adds an agent that waits for the captain.
func waits(why, trouble string) func(*fleet.Board, time.Time) {
	return func(b *fleet.Board, since time.Time) {
		known(b, afloat(b, proto.AgentState{State: proto.StateWaiting, Why: why, Trouble: trouble}, since))
	}
}
