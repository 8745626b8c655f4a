package dash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
	"ocaptain/ui/dash/keys"
)

// aSession returns a session with an epic under way: of its parts one is done, two are in review, one is being worked on and one
// waits; and with an epic whose plan waits for the captain.
func aSession(t testing.TB) *fleet.Board {
	t.Helper()
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	b := &fleet.Board{
		At: noon, Helm: 4711, Phase: fleet.Sailing, Since: ago(12 * time.Minute), Head: "3f9a1c02b7d4e8",
		Voyage: fleet.Voyage{
			ID: "voyage-a1b2c3d4e5f6", Name: "add-user-auth", Kind: fleet.Session, Branch: "feat/user-auth", Validators: 1, AskPlan: true,
			ShipCount: 5, CreatedAt: ago(12*time.Minute + 34*time.Second), AgentChoice: fleet.AgentChoice{Agent: "claude"}, Provider: "local",
		},
	}
	add := func(id, subject string, status tasks.Status, owner string, since time.Duration, meta map[string]any, after ...string) *tasks.State {
		b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: id, Subject: subject, Status: status, Owner: owner, BlockedBy: after, Metadata: meta}})
		is := &b.Tasks[len(b.Tasks)-1]
		if owner != "" {
			is.ClaimedAt, is.Epoch, is.Attempts = ago(since), 1, 1
		}
		return is
	}
	epic := map[string]any{"type": tasks.Epic}
	part := func(labels ...any) map[string]any {
		return map[string]any{"type": "feature", "parent": "1", "labels": labels}
	}
	add("1", "Add user auth", tasks.InProgress, fleet.Coordinator, 11*time.Minute, epic)
	add("1-1", "Create User model", tasks.Completed, "worker-2", 10*time.Minute, part("db")).CompletedAt = ago(6 * time.Minute)
	is := add("1-2", "Add password hashing", tasks.InProgress, "validator-0", time.Minute, part("db", "security"), "1-1")
	is.HandIn = &tasks.HandIn{Owner: "worker-2", Epoch: 1, Commit: "0123456789abcdef", At: ago(4 * time.Minute), Checked: "cafe", Passed: true}
	is = add("1-3", "Implement JWT middleware", tasks.Pending, "", 0, part("http"), "1-1")
	is.HandIn = &tasks.HandIn{Owner: "worker-0", Epoch: 1, Commit: "fedcba9876543210", At: ago(2 * time.Minute)}
	is.Reason, is.Rejections = "validator-0: a token never expires", 1
	add("1-4", "Create login endpoint", tasks.InProgress, "worker-1", 3*time.Minute, part("http"), "1-1")
	add("1-5", "Write auth tests", tasks.Pending, "", 0, part("tests"), "1-2", "1-3", "1-4")
	is = add("2", "Sessions that last", tasks.Pending, "", 0, epic)
	is.OnHold, is.Proposed, is.RequeuedAt, is.Reason = true, 2, ago(30*time.Second), "planner-0 has broken it down, and waits for the captain's word"
	for i, name := range []string{"planner-0", "validator-0", "worker-0", "worker-1", "worker-2"} {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Idle, Since: ago(40 * time.Second), SeenAt: noon, Source: "agent"}}
		s.Name, s.Number, s.Agent, s.Provider, s.Phase, s.Machine = name, i, "claude", "local", fleet.Afloat, provider.Machine{ID: name}
		s.Role, _, _ = strings.Cut(name, "-")
		b.Ships = append(b.Ships, s)
	}
	b.Ships[1].Status.Word, b.Ships[1].Task, b.Ships[1].Turn = fleet.Working, "1-2", 4
	b.Ships[3].Status.Word, b.Ships[3].Task, b.Ships[3].Turn = fleet.Working, "1-4", 8
	return b
}

func TestSessionScreens(t *testing.T) {
	for name, keys := range map[string][]string{
		"session":      nil,
		"coordinator":  {"g"},
		"sessiontasks": {"2", "j", "j", "f"},
		"newepic":      {"2", "n"},
	} {
		each(t, name, func(t *testing.T, w, h int, file string) {
			s := setStage(t, w, h, aSession(t), nil, nil)
			s.press(keys...)
			s.golden(file)
		})
	}
}

// The coordinator has no machine: actions that need one say so, and the ship above it stays as it is.
func TestCoordinatorHasNoMachine(t *testing.T) {
	s := setStage(t, 160, 40, aSession(t), nil, nil)
	if got := s.m.shipName(); got != "planner-0" {
		t.Errorf("%s is selected at first", got)
	}
	for _, k := range []string{"enter", "i", "space", "l", "t", "I", "x", "R", "D", "d"} {
		s.press("1", "g", k)
		if last := s.m.toasts.History[len(s.m.toasts.History)-1].Text; !strings.Contains(last, "coordinator-0 is a part of helm and has no machine") {
			t.Errorf("%s: %q", k, last)
		}
		if !s.m.atHome() || len(s.m.dialogs) > 0 || s.m.typing != "" || len(s.m.v.Agents.Marked()) > 0 {
			t.Fatalf("%s does something; the screen is\n%s", k, s.text())
		}
	}
	s.press("2", "g", "O")
	if !s.m.v.Agents.OnCoordinator() {
		t.Error("who holds an epic cannot be gone to")
	}
	s.press("/", "l", "o", "g", "i", "n", "enter")
	if got := s.m.shipName(); got != "worker-1" {
		t.Errorf("a filter that hides the coordinator selects %q", got)
	}
}

// A message to the coordinator becomes an epic after a confirmation, n asks for an epic, and both are sent as the
// captain wrote them.
func TestAskForEpic(t *testing.T) {
	for name, c := range map[string]struct{ before, after []string }{
		"message":  {[]string{"1", "g", "m"}, []string{"y"}},
		"no":       {[]string{"1", "g", "m"}, []string{"enter"}},
		"n":        {[]string{"2", "n"}, nil},
		"palette":  {[]string{":", "a", "n", "space", "e", "p", "i", "c", "enter"}, nil},
		"n search": {[]string{"2", "/", "W", "r", "i", "t", "e", "enter", "esc", "n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := setStage(t, 160, 40, aSession(t), nil, nil)
			asked := s.helm()
			s.press(c.before...)
			s.press("H", "i", "enter", "y", "o", "u", "ctrl+s")
			if len(c.after) > 0 {
				s.shows("Make this an epic?", "“Hi”")
				s.press(c.after...)
			}
			if name == "no" {
				if s.m.jobs.Running() > 0 || len(s.m.dialogs) > 0 {
					t.Error("no is not taken for an answer")
				}
				return
			}
			s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
			s.shows("add an epic: it is task")
			if got := s.next(asked); !strings.HasSuffix(got.path, "/epics") || got.body != `{"text":"Hi\nyou","priority":2}`+"\n" && got.body != `{"text":"Hi\nyou","priority":2}` {
				t.Errorf("helm is asked for %s %s", got.path, got.body)
			}
		})
	}
	s := setStage(t, 160, 40, aSession(t), nil, nil)
	s.press("2", "/", "1", "-", "enter", "n")
	if got := s.m.selectedTask().ID; got != "1-2" || len(s.m.dialogs) > 0 {
		t.Errorf("n in filtered tasks comes to %s", got)
	}
	s = setStage(t, 160, 40, calm(aBoard(t)), nil, nil)
	s.press("2", "n")
	s.shows("New task")
}

// A and X first show the work in question; pressed there they ask, and helm gets a decision about what was shown.
func TestDecideAfterLook(t *testing.T) {
	s := setStage(t, 160, 40, aSession(t), nil, nil)
	plan := s.dir.Plan("2")
	if err := os.MkdirAll(filepath.Dir(plan), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plan, []byte(`{"tasks": [{"id": "a", "title": "Keep sessions"}, {"title": "Forget them", "depends_on": ["a"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := s.helm()
	look := func(from ...string) {
		s.press("2")
		s.m.v.Tasks.Select("2")
		s.press(from...)
		if s.m.diff() == nil || len(s.m.dialogs) > 0 {
			t.Fatalf("the plan is not shown first; the screen is\n%s", s.text())
		}
		s.press("A")
		s.shows("nothing that is shown waits for you")
		s.until("it is read", func() bool { return s.m.diff().Question != nil })
		s.shows("task 2 is to consist of these tasks", "2-1  Keep sessions", "2-2  Forget them", "A approve  X reject")
	}
	told := func(want string) {
		t.Helper()
		s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
		if got := s.next(asked); !strings.HasSuffix(got.path, "/decide") || strings.TrimSpace(got.body) != want {
			t.Errorf("helm is told %s %s, want %s", got.path, got.body, want)
		}
		if !s.m.atHome() {
			t.Error("what was decided about is still shown")
		}
	}
	look("A")
	s.press("A")
	s.shows("Approve task 2?", "workers begin with them")
	s.press("y")
	told(`{"task":"2","work":"","approve":true}`)

	look("enter", "X")
	s.press("X")
	s.shows("Reject task 2: it is planned anew")
	s.press("n", "o", "ctrl+s")
	told(`{"task":"2","work":"","approve":false,"reason":"no"}`)

	s.press("2", "g", "A")
	s.shows("task 1 does not wait for you to approve anything")
	s.press("1", "d", "A")
	s.shows("nothing that is shown waits for you")
}

// TestExitsOfSession checks a session whose every text is hostile, as TestExits does.
func TestExitsOfSession(t *testing.T) {
	b := aSession(t)
	id := b.Voyage.ID
	cleantest.Fill(b, false)
	b.Voyage.ID, b.Voyage.Kind = id, fleet.Session
	for i := range b.Tasks {
		b.Tasks[i].Metadata = map[string]any{"type": []string{tasks.Epic, "task"}[min(i, 1)], "parent": b.Tasks[0].ID, "labels": []any{evil, cleantest.Long}}
	}
	b.Tasks[0].Owner = fleet.Coordinator
	s := setStage(t, 200, 40, b, nil, nil)
	s.exits("first screen")
	s.shows("Review Queue")
	for _, in := range []keys.Scope{keys.InAgents, keys.InTasks, keys.InDetail} {
		for _, k := range bindings.Group(keys.Groups[in][0]) {
			s.walkKeys(k, append([]string{"1", "g"}, ways[in]...))
		}
	}
	s.press("1", "g", "m")
	s.press("x", "ctrl+s")
	s.exits("message to the coordinator")
}
