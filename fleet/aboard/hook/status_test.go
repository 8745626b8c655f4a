package hook

import (
	"os"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// The status line shows what the ship does. The hook records the cost that the session reports.
func TestStatusLine(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	if err := os.MkdirAll(shipdir.Dir(dir).Usage(""), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, cost := range []any{nil, 1.5} {
		r := aboardtest.Fire(t, dir, agent.HookStatus, map[string]any{"session_id": "s", "transcript_path": "/none", "cost": map[string]any{"total_cost_usd": cost}, "context_window": map[string]any{"total_input_tokens": 1200, "context_window_size": 200000, "used_percentage": 1}})
		if r.Code != 0 || r.Out != "ship-0 · voyage-1\n" {
			t.Errorf("%v: the line is %+v", cost, r)
		}
	}
	var kept struct {
		USD float64 `json:"usd"`
	}
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Usage("cost.json"), &kept); err != nil || kept.USD != 1.5 {
		t.Errorf("kept %v, %v", kept, err)
	}
	if is := transcript.Conversation(shipdir.Dir(dir)); is != (proto.Conversation{Tokens: 1200, Window: 200_000}) {
		t.Errorf("its conversation is %+v", is)
	}
}

// The cost of a new conversation is added to that of those before, also if its first report comes after its first answer.
func TestCostOfConversations(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	if err := os.MkdirAll(shipdir.Dir(dir).Usage(""), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		session string
		usd     float64
		sum     float64
	}{{"s1", 1, 1}, {"s2", 2, 3}, {"s3", 0.5, 3.5}} {
		aboardtest.Fire(t, dir, agent.HookSession, map[string]any{"hook_event_name": "SessionStart", "source": "startup", "session_id": c.session})
		aboardtest.Fire(t, dir, agent.HookStatus, map[string]any{"session_id": c.session, "cost": map[string]any{"total_cost_usd": c.usd}})
		if got := transcript.Cost(shipdir.Dir(dir)); got != c.sum {
			t.Errorf("after %s it cost %v, want %v", c.session, got, c.sum)
		}
	}
}
