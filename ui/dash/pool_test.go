package dash

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
	"ocaptain/ui/dash/keys"
)

// aPool returns a pool with one dispatch in each state, and two that wait.
func aPool() *fleet.Board {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	b := &fleet.Board{
		At: noon, Helm: 4711, Phase: fleet.Sailing, Since: ago(26 * time.Hour), Head: "3f9a1c02b7d4e8",
		Voyage: fleet.Voyage{
			ID: "voyage-5e0f6a7b8c9d", Kind: fleet.Pool, Name: "kite", Prompt: "Pool of kite", Repo: "owner/kite", Branch: "voyage-5e0f6a7b8c9d",
			CreatedAt: ago(26 * time.Hour), AgentChoice: fleet.AgentChoice{Agent: "claude"}, Provider: "local", Check: 30 * time.Minute,
		},
	}
	for i, command := range []string{
		"update the changelog",
		"make the tail longer\n\nIt tears in strong wind.",
		"fix the auth bug",
		"find out why the kite dives in a lull, and write it down in docs/dives.md with what each of the three sensors says",
		"sort the imports",
		"add a string of lights",
		"count the knots",
		"paint it red",
	} {
		t := tasks.State{Task: tasks.Dispatch{Command: command, Base: "9e8d7c6b5a40", Key: "KEY", At: ago(time.Duration(90-10*i) * time.Minute)}.Task()}
		t.ID = fmt.Sprint(i + 1)
		b.Tasks = append(b.Tasks, t)
	}
	for i, owner := range map[int]string{0: "kite-1", 1: "kite-2"} {
		t := &b.Tasks[i]
		t.Status, t.Owner, t.Commit, t.Attempts = tasks.Completed, owner, fmt.Sprintf("%07x", 0xabc1230+i), 1
		t.ClaimedAt, t.CompletedAt = ago(80*time.Minute), ago(time.Duration(70-10*i)*time.Minute)
	}
	failed := &b.Tasks[2]
	failed.OnHold, failed.Reason, failed.RequeuedAt, failed.Attempts = true, "scripts/dev-setup.sh failed (exit 1): no compiler", ago(50*time.Minute), 1
	for i, owner := range map[int]string{3: "kite-1", 4: "kite-3"} {
		t := &b.Tasks[i]
		t.Status, t.Owner, t.ClaimedAt, t.Attempts = tasks.InProgress, owner, ago(time.Duration(55-5*i)*time.Minute), 1
	}
	b.Tasks[5].ReservedFor = "kite-2"
	b.Tasks[7].Metadata["worker"] = "kite-3"
	status := func(w fleet.Word, reason string, since time.Duration) fleet.Status {
		return fleet.Status{Word: w, Reason: reason, Since: ago(since), SeenAt: ago(2 * time.Second), Source: "agent"}
	}
	for i, st := range []fleet.Status{
		status(fleet.Working, "", 40*time.Minute),
		status(fleet.Idle, "", 20*time.Second),
		status(fleet.Working, "", 35*time.Minute),
	} {
		s := fleet.ShipView{Status: st}
		s.Name, s.Number, s.Role, s.Agent, s.Provider = fmt.Sprintf("kite-%d", i+1), i+1, "worker", "claude", "local"
		s.Machine, s.Phase, s.Built = provider.Machine{ID: fmt.Sprintf("m-%d", i), User: "captain"}, fleet.Afloat, 1
		b.Ships = append(b.Ships, s)
	}
	b.Ships[0].Task, b.Ships[0].Committed, b.Ships[0].Nudges = "4", ago(38*time.Minute), 1
	b.Ships[2].Task, b.Ships[2].Committed, b.Ships[2].Draining = "5", ago(4*time.Minute), true
	return b
}

// Actions that make no sense for a pool are refused with a reason, and no text calls the pool a plan.
func TestPoolKeys(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  []string
		shows []string
	}{
		{"header", nil, []string{"● sailing · pool kite · owner/kite", "dispatches 3Q 2R 2D 1F"}},
		{"verify", []string{":", "v", "e", "r", "i", "f", "y", "enter"}, []string{"a pool has no plan to verify"}},
		{"diff of the whole", []string{":", "w", "h", "o", "l", "e", "enter"}, []string{"each dispatch of a pool has a branch of its own"}},
		{"tree", []string{"2", "v"}, []string{"a dispatch waits for a worker"}},
		{"ready only", []string{"2", "u"}, []string{"a dispatch waits for a worker"}},
		{"blockers", []string{"2", "b"}, []string{"a dispatch waits for a worker"}},
		{"sail", []string{"s"}, []string{"add a worker to this pool"}},
		{"sink", []string{":", "s", "i", "n", "k", "space", "t", "h", "e", "space", "v", "enter"}, []string{"Sink 3 ships of pool kite?"}},
		{"drain", []string{":", "d", "r", "a", "i", "n", "enter"}, []string{"Drain kite-1?", "No"}},
		{"drain one that is", []string{"G", ":", "d", "r", "a", "i", "n", "enter"}, []string{"kite-3 is drained already"}},
		{"remove", []string{":", "r", "e", "m", "o", "v", "e", "enter"}, []string{"Sink kite-1?", "No"}},
		{"all about a worker", []string{"I"}, []string{"no commit", "for 38m, told 1 time"}},
		{"what workers do", []string{"f"}, []string{"4 find out why the kite dives", "no commit for 38m", "begins 6 add a string of lights", "drained · 5 sort the imports · no commit for 4m"}},
		{"messages", []string{"1", "m"}, []string{"Message to kite-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setStage(t, 160, 44, aPool(), nil, nil)
			s.press(c.keys...)
			s.shows(c.shows...)
			for _, none := range []string{"plan kite", "Pool of kite", "stuck", "%"} {
				if strings.Contains(s.text(), none) {
					t.Errorf("the screen has %q:\n%s", none, s.text())
				}
			}
		})
	}
}

// A voyage says that it has no workers to drain, and an empty pool says how to begin.
func TestPoolWithoutWorkers(t *testing.T) {
	s := setStage(t, 160, 44, aBoard(t), nil, nil)
	s.press(":", "d", "r", "a", "i", "n", "enter")
	s.shows("only a pool has workers")
	b := aPool()
	b.Ships, b.Tasks = nil, nil
	setStage(t, 160, 44, b, nil, nil).shows("the pool has no worker", "nothing was dispatched yet", "p gives")
}

// TestPoolScreens draws a pool at the sizes that terminals have.
func TestPoolScreens(t *testing.T) {
	for name, pressed := range map[string][]string{
		"pool":       nil,
		"poolfull":   {"2", "f"},
		"pooldetail": {"2", "G", "k", "k", "enter"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 35}, {200, 50}} {
			t.Run(fmt.Sprint(name, size[0]), func(t *testing.T) {
				s := setStage(t, size[0], size[1], aPool(), poolLogs(), nil)
				s.until("what was done is counted", func() bool { return len(s.m.v.Tasks.Unmeasured()) == 0 })
				s.press(pressed...)
				if s.m.scope() == keys.InDetail {
					s.until("the detail is read", func() bool { return !strings.Contains(s.text(), "reading") })
				}
				s.golden(fmt.Sprintf("%s-%d", name, size[0]))
			})
		}
	}
}

// poolLogs returns log lines of two workers.
func poolLogs() map[string][]fleet.LogLine {
	line := func(s int, ship, kind, text string) fleet.LogLine {
		return fleet.LogLine{At: noon.Add(time.Duration(s-60) * time.Second), Ship: ship, Role: "worker", Kind: kind, Turn: 3, Text: text}
	}
	return map[string][]fleet.LogLine{
		"kite-1": {line(1, "kite-1", "text", "The third sensor is silent in a lull."), line(12, "kite-1", "tool", "Edit docs/dives.md")},
		"kite-3": {line(5, "kite-3", "tool", "Bash gofmt -l .")},
	}
}
