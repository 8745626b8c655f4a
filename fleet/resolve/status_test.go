package resolve_test

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// TestResolve covers everything that can be known of a ship.
func TestResolve(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	afloat := resolve.Known{
		Ship:  fleet.Ship{Name: "ship-1", Phase: fleet.Afloat},
		Link:  resolve.Link{Connected: true, LinkSince: ago(time.Hour)},
		Pulse: proto.Pulse{Pane: true, Runner: true, Agent: true}, PulseAt: ago(time.Second),
		EventAt: ago(time.Second), StateAt: ago(time.Minute),
	}
	with := func(change func(*resolve.Known)) resolve.Known { k := afloat; change(&k); return k }
	state := func(s proto.State, why string) resolve.Known {
		return with(func(k *resolve.Known) { k.State = proto.AgentState{State: s, Why: why} })
	}
	for _, c := range []struct {
		name   string
		known  resolve.Known
		word   fleet.Word
		reason string
	}{
		{"planned", resolve.Known{Ship: fleet.Ship{Phase: fleet.Planned}}, fleet.Provision, ""},
		{"provisioning says why a step waits", resolve.Known{Ship: fleet.Ship{Phase: fleet.Provisioning, Setup: fleet.Setup{Step: "create", Waits: "too many"}}}, fleet.Provision, "create waits: too many"},
		{"a step that was told why it waits", resolve.Known{Ship: fleet.Ship{Phase: fleet.Provisioning, Setup: fleet.Setup{Step: "create", Waits: "too many"}}, Awaits: "the provider sprites", Quiet: 12 * time.Second}, fleet.Provision, "create waits: too many; nothing new for 12s"},
		{"a step without an answer", resolve.Known{Ship: fleet.Ship{Phase: fleet.Provisioning, Setup: fleet.Setup{Step: "reach"}}, Awaits: "SSH at 192.0.2.1:22", Quiet: 12 * time.Second}, fleet.Provision, "reach waits for SSH at 192.0.2.1:22, 12s without an answer"},
		{"a step with one a moment ago", resolve.Known{Ship: fleet.Ship{Phase: fleet.Provisioning, Setup: fleet.Setup{Step: "reach"}}, Awaits: "SSH at 192.0.2.1:22", Quiet: 3 * time.Second}, fleet.Provision, "reach"},
		{"a ship whose turn comes later", resolve.Known{Ship: fleet.Ship{Phase: fleet.Planned, Setup: fleet.Setup{Waits: "ship-0 goes ahead"}}}, fleet.Provision, "waits: ship-0 goes ahead"},
		{"provisioning says the step", resolve.Known{Ship: fleet.Ship{Phase: fleet.Provisioning, Setup: fleet.Setup{Step: "clone"}}}, fleet.Provision, "clone"},
		{"provisioning failed", resolve.Known{Ship: fleet.Ship{Phase: fleet.Failed, Setup: fleet.Setup{Error: "tools: no apt"}}}, fleet.Errored, "no apt"},
		{"nothing heard is unknown, not idle", resolve.Known{Ship: fleet.Ship{Phase: fleet.Afloat}}, fleet.Unknown, ""},
		{"connected, agent silent", with(func(*resolve.Known) {}), fleet.Unknown, "not reported"},
		{"working", with(func(k *resolve.Known) { k.State.State = proto.StateWorking; k.Held = "7" }), fleet.Working, ""},
		{"unreachable beats working", with(func(k *resolve.Known) {
			k.State.State, k.Connected, k.LinkError = proto.StateWorking, false, "timeout"
		}), fleet.Unreachable, "timeout"},
		{"runner gone beats working", with(func(k *resolve.Known) {
			k.State.State, k.Pulse.Runner = proto.StateWorking, false
		}), fleet.Exited, "runner"},
		{"crashed, starts again", with(func(k *resolve.Known) {
			k.State.State, k.Exit = proto.StateWorking, &proto.AgentExited{Code: 1}
		}), fleet.Errored, "starting again"},
		{"crashed for good", with(func(k *resolve.Known) {
			k.Exit = &proto.AgentExited{Code: -1, Signal: "SIGKILL", Final: true, Reason: "it keeps dying"}
		}), fleet.Exited, "killed by SIGKILL"},
		{"ended because all is done", with(func(k *resolve.Known) {
			k.Exit, k.AllDone = &proto.AgentExited{Final: true}, true
		}), fleet.Done, ""},
		{"done, and work is left for others", with(func(k *resolve.Known) { k.Exit = &proto.AgentExited{Final: true, Done: true} }), fleet.Idle, ""},
		{"done with a task undone", with(func(k *resolve.Known) { k.Held, k.Exit = "3", &proto.AgentExited{Final: true, Done: true} }), fleet.Exited, "code 0"},
		{"ended although work is left", with(func(k *resolve.Known) { k.Exit = &proto.AgentExited{Final: true} }), fleet.Exited, "code 0"},
		{"waiting says why", state(proto.StateWaiting, "permission"), fleet.Waiting, "permission"},
		{"limited says why", state(proto.StateLimited, "resets 5pm"), fleet.Limited, "5pm"},
		{"failed says why", state(proto.StateFailed, "billing"), fleet.Errored, "billing"},
		{"idle", state(proto.StateIdle, ""), fleet.Idle, ""},
		{"granted a task just now", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.HeldAt = proto.StateIdle, "7", ago(time.Second)
		}), fleet.Working, ""},
		{"idle when all is done", with(func(k *resolve.Known) { k.State.State, k.AllDone = proto.StateIdle, true }), fleet.Done, ""},
		{"limited when all is done", with(func(k *resolve.Known) { k.State.State, k.AllDone = proto.StateLimited, true }), fleet.Done, ""},
		{"resting", with(func(k *resolve.Known) { k.State.State, k.AllDone = proto.StateResting, true }), fleet.Done, ""},
		{"stalled", with(func(k *resolve.Known) {
			k.State.State, k.EventAt = proto.StateWorking, ago(20*time.Minute)
		}), fleet.Stalled, "20m"},
		{"no work while the hub slept is no stall", with(func(k *resolve.Known) {
			k.State.State, k.EventAt, k.AwakeAt = proto.StateWorking, ago(8*time.Hour), ago(time.Minute)
		}), fleet.Working, ""},
		{"no end of sleep is no excuse", with(func(k *resolve.Known) {
			k.State.State, k.EventAt, k.AwakeAt = proto.StateWorking, ago(8*time.Hour), ago(20*time.Minute)
		}), fleet.Stalled, ""},
		{"a machine that stays", with(func(k *resolve.Known) {
			k.Ship.Phase, k.Ship.Error = fleet.Going, "host quay cannot be reached"
		}), fleet.Leaving, "host quay"},
		{"idle while it holds a task", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.EventAt = proto.StateIdle, "7", ago(time.Hour)
		}), fleet.Stalled, "holds task 7"},
		{"limited tells the reset", with(func(k *resolve.Known) {
			k.State = proto.AgentState{State: proto.StateLimited, Why: "usage limit", Until: now.Add(2 * time.Hour)}
			k.TryAt = now.Add(2*time.Hour + 10*time.Second)
		}), fleet.Limited, "usage limit, resets 14:00 (in 2h)"},
		{"limited tells a reset of another day", with(func(k *resolve.Known) {
			k.State = proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Until: now.Add(75*time.Hour + 5*time.Minute)}
		}), fleet.Limited, "weekly limit, resets Jan 5 15:05 (in 3d)"},
		{"limited tells the next try", with(func(k *resolve.Known) {
			k.State = proto.AgentState{State: proto.StateLimited, Why: "API overloaded"}
			k.TryAt, k.Tries = now.Add(40*time.Second), 2
		}), fleet.Limited, "API overloaded, tried again in 40s (3rd time)"},
		{"limited tells who tries first", with(func(k *resolve.Known) {
			k.State = proto.AgentState{State: proto.StateLimited, Why: "API overloaded"}
			k.TryAt, k.TryBy = ago(time.Second), "ship-2"
		}), fleet.Limited, "API overloaded, goes on when ship-2 can"},
		{"limited and the runner gone", with(func(k *resolve.Known) {
			k.State.State, k.Pulse.Runner = proto.StateLimited, false
		}), fleet.Exited, "runner"},
		{"limited and unreachable", with(func(k *resolve.Known) {
			k.State.State, k.Connected, k.LinkError = proto.StateLimited, false, "timeout"
		}), fleet.Unreachable, "timeout"},
		{"idle and unreachable", with(func(k *resolve.Known) {
			k.State.State, k.Connected, k.LinkError = proto.StateIdle, false, "timeout"
		}), fleet.Unreachable, "timeout"},
		{"a question before the session begins", with(func(k *resolve.Known) {
			k.State.State, k.Pulse.Screen = proto.StateStarting, "asks for a login"
		}), fleet.Waiting, "asks for a login"},
		{"a start has a moment for its screens", with(func(k *resolve.Known) {
			k.State.State, k.StateAt, k.Pulse.Screen = proto.StateStarting, ago(time.Second), "asks for a login"
		}), fleet.Working, "starting"},
		{"a question after an error", with(func(k *resolve.Known) {
			k.State.State, k.Pulse.Screen = proto.StateFailed, "asks a question"
		}), fleet.Waiting, "asks a question"},
		{"what a working agent's screen says is its own", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.Pulse.Screen = proto.StateWorking, "7", "asks a question"
		}), fleet.Working, ""},
		{"working, but the service is not there", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.Pulse.Retry = proto.StateWorking, "5", "API overloaded, trying again (6 of 10)"
		}), fleet.Working, "API overloaded, trying again (6 of 10)"},
		{"work on nothing", with(func(k *resolve.Known) {
			k.State.State, k.FreeAt, k.StateAt = proto.StateWorking, ago(time.Minute), ago(time.Hour)
		}), fleet.Working, "without a task"},
		{"a compaction", with(func(k *resolve.Known) {
			k.State.State, k.State.Why, k.Held = proto.StateWorking, "compacting its conversation", "5"
		}), fleet.Working, "compacting its conversation"},
		{"work that does not merge", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.Veto = proto.StateWorking, "5", "its work conflicts with what was merged"
		}), fleet.Working, "its work conflicts"},
		{"talk is no work", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.ActAt = proto.StateWorking, "5", ago(25*time.Minute)
		}), fleet.Stalled, "it talks, and has done nothing for 25m"},
		{"works on nothing", with(func(k *resolve.Known) {
			k.State.State, k.StateAt = proto.StateWorking, ago(12*time.Minute)
		}), fleet.Working, "without a task for 12m"},
		{"works on nothing while a task is ready", with(func(k *resolve.Known) {
			k.State.State, k.StateAt, k.Ready, k.ReadyAt = proto.StateWorking, ago(time.Hour), "5", ago(14*time.Minute)
		}), fleet.Working, "without a task"},
		{"works on nothing for too long while a task is ready", with(func(k *resolve.Known) {
			k.State.State, k.StateAt, k.Ready, k.ReadyAt = proto.StateWorking, ago(time.Hour), "5", ago(16*time.Minute)
		}), fleet.Stalled, "it works without a task, and does not claim task 5"},
		{"claims nothing", with(func(k *resolve.Known) {
			k.State.State, k.Ignored = proto.StateIdle, 3
		}), fleet.Idle, "told of ready tasks 3 times"},
		{"sent back often enough", with(func(k *resolve.Known) {
			k.State.State, k.Held, k.LeftAlone = proto.StateIdle, "5", true
		}), fleet.Stalled, "its turns end while it holds task 5"},
		{"going", resolve.Known{Ship: fleet.Ship{Phase: fleet.Going}}, fleet.Leaving, ""},
	} {
		got := resolve.Status(now, c.known)
		if got.Word != c.word || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got.Word, got.Reason, c.word, c.reason)
		}
	}
}
