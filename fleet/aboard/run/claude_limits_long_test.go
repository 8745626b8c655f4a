//go:build long

package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// Whatever errors the real service may answer, the report of the real Claude Code becomes a state in words, and the
// next message makes the agent work again.
func TestRealTroubles(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, moody(time.Time{}))
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "idleness", func() bool { return helm.LastState().State == proto.StateIdle })
	for _, c := range []struct {
		name string
		want proto.AgentState
	}{
		{"rate", proto.AgentState{State: proto.StateLimited, Trouble: "api", Why: "API rate limit"}},
		{"storm", proto.AgentState{State: proto.StateLimited, Trouble: "api", Why: "API overloaded"}},
		{"broken", proto.AgentState{State: proto.StateLimited, Trouble: "api", Why: "API error: 500 Internal server error"}},
		{"login", proto.AgentState{State: proto.StateWaiting, Trouble: "person", Why: "its token or key is not accepted: Invalid API key"}},
		{"refused", proto.AgentState{State: proto.StateWaiting, Trouble: "person", Why: "access refused (403): 403 Your account does not have access"}},
		{"credit", proto.AgentState{State: proto.StateWaiting, Trouble: "person", Why: "billing: Credit balance is too low"}},
		{"old", proto.AgentState{State: proto.StateWaiting, Trouble: "person", Why: "this version is no longer taken: Claude Code 2.1.329 is older than the minimum version required by your organization's policy; give it a newer one with ship replace --agent-version latest"}},
		{"odd", proto.AgentState{State: proto.StateFailed, Trouble: "turn", Why: "400 messages: something is wrong"}},
		{"nomodel", proto.AgentState{State: proto.StateWaiting, Trouble: "person", Why: "the model does not exist or is not available to this login"}},
		{"cut", proto.AgentState{State: proto.StateIdle}},
		{"big", proto.AgentState{State: proto.StateFailed, Trouble: "turn", Why: "the request is too large"}},
	} {
		tellAgent(t, helm, "TROUBLE "+c.name)
		eventually.Holds(t, c.name, func() bool { return helm.LastState().State != proto.StateWorking })
		if got := helm.LastState(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	tellAgent(t, helm, "Well?")
	eventually.Holds(t, "idleness after all that", func() bool { return helm.LastState().State == proto.StateIdle })
}

// The pulse shows a question that no hook reports until it is answered. It also shows that the agent repeats a
// request to the service.
func TestRealScreens(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, moody(time.Time{}))
	// Claude Code asks whether to use a key that it has not seen before.
	dir := realShip(t, api, nil, map[string]string{"ANTHROPIC_API_KEY": testKey, "CLAUDE_CODE_MAX_RETRIES": "5"})
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	pulse := func() proto.Pulse {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		if len(helm.Pulses) == 0 {
			return proto.Pulse{}
		}
		return helm.Pulses[len(helm.Pulses)-1]
	}
	eventually.Holds(t, "the question", func() bool { return pulse().Screen == "asks whether to use the API key" })
	if s := helm.States(); s != "" {
		t.Errorf("its session has begun: %s", s)
	}
	w.Must("send-keys", "-t", "claude", "Up")
	eventually.Holds(t, "the choice", func() bool { return strings.Contains(w.Screen(), "❯ Yes") })
	w.Must("send-keys", "-t", "claude", "Enter")
	eventually.Holds(t, "idleness", func() bool { return helm.LastState().State == proto.StateIdle })
	eventually.Holds(t, "an end of the question", func() bool { return pulse().Screen == "" })
	tellAgent(t, helm, "TROUBLE storm")
	eventually.Holds(t, "the retry", func() bool { return strings.HasPrefix(pulse().Retry, "API overloaded, trying again (") })
	if got := helm.LastState().State; got != proto.StateWorking && got != proto.StateLimited {
		t.Errorf("it is %s", got)
	}
	eventually.Holds(t, "the end of its patience", func() bool { return helm.LastState().State == proto.StateLimited })
	eventually.Holds(t, "the end of the retries", func() bool { return pulse().Retry == "" && pulse().Screen == "" })
}

// A conversation that has grown too large is compacted in the middle of a task. A hook then tells the agent again who
// it is, what it holds and the rules, and the agent goes on.
func TestRealCompaction(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, map[string]string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"})
	helm := aboardtest.NewHelm(t)
	for i := 1; i <= 7; i++ {
		j := job(fmt.Sprint(i), fmt.Sprintf("seq 5000 | head -c 29000; echo %d >>log.txt", i))
		helm.Tasks[j.ID] = j
	}
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "all tasks", func() bool {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		for _, task := range helm.Tasks {
			if task.Status != tasks.Completed {
				return false
			}
		}
		return true
	})
	var notes []string
	for _, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
		if strings.Contains(l.Text, "compact") {
			notes = append(notes, l.Text)
		}
	}
	if all := strings.Join(notes, "; "); !strings.Contains(all, "is about to be compacted (auto)") || !strings.Contains(all, "was compacted") || !strings.Contains(all, "the compaction is done (auto)") {
		t.Errorf("the log says of the compaction: %s", all)
	}
	last := api.Sessions()[0].Last
	reminded := false
	for _, m := range last.Messages {
		for _, p := range m.Parts {
			reminded = reminded || strings.Contains(p.Text, "You are ship-0, one of the ships of voyage voyage-1. You hold ")
		}
	}
	if !reminded {
		t.Error("it was not told who it is after the compaction")
	}
}

// The state of a usage limit has the time of its reset. Claude Code's menu about the limit does not keep any message
// from arriving.
func TestRealUsageLimit(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(75 * time.Hour).Truncate(time.Second)
	api := claudetest.Start(t, moody(reset))
	dir := realShip(t, api, map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-test-0123456789"}, map[string]string{"TZ": "America/New_York"})
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "idleness", func() bool { return helm.LastState().State == proto.StateIdle })
	for name, why := range map[string]string{"weekly": "weekly limit", "fivehour": "5-hour limit"} {
		tellAgent(t, helm, "TROUBLE "+name)
		eventually.Holds(t, name, func() bool { return helm.LastState().State == proto.StateLimited })
		got := helm.LastState()
		if off := reset.Sub(got.Until); off < -time.Minute || off > time.Minute || got.Why != why || got.Trouble != "usage" {
			t.Errorf("%s: %+v, off by %s", name, got, off)
		}
		eventually.Holds(t, "the menu", func() bool { return strings.Contains(w.Screen(), "Stop and wait for limit to reset") })
		var said proto.Said
		if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: "Well?"}, &said); err != nil || !said.Heard {
			t.Fatalf("%s: told once: %+v, %v\n%s", name, said, err, w.Screen())
		}
		eventually.Holds(t, "idleness", func() bool { return helm.LastState().State == proto.StateIdle })
	}
}
