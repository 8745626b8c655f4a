package dash

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/clock"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/taskpane"
)

// aCrowd returns a large voyage with six needs: of the hub, of ships, of one ship together with others, and of a
// task.
func aCrowd(t testing.TB) *fleet.Board {
	b := aBoard(t)
	b.Ships = b.Ships[:0]
	for i := range 100 {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Idle, Since: noon.Add(-20 * time.Minute), SeenAt: noon, Source: "agent"}}
		s.Name, s.Number, s.Role, s.Agent, s.Provider, s.Phase = fmt.Sprintf("ship-%d", i), i, "worker", "claude", "local", fleet.Afloat
		b.Ships = append(b.Ships, s)
	}
	for i, at := range map[int]int{5: 0, 6: 1} {
		b.Ships[at].Task, b.Ships[at].Status.Word, b.Tasks[i].Owner = b.Tasks[i].ID, fleet.Working, b.Ships[at].Name
	}
	is := func(ship int, w fleet.Word, k fleet.NeedKind, why string, since time.Duration) {
		b.Ships[ship].Status = fleet.Status{Word: w, Need: k, Reason: why, Since: noon.Add(-since), SeenAt: noon, Source: "agent"}
	}
	is(17, fleet.Waiting, fleet.NeedAnswer, "permission to run: rm -rf build", 4*time.Minute)
	for _, ship := range []int{33, 40, 77, 81} {
		is(ship, fleet.Waiting, fleet.NeedLogin, "please run /login", 25*time.Minute)
	}
	is(88, fleet.Unreachable, fleet.NeedUnreachable, "no answer for 15s", 3*time.Minute)
	b.Ships[1].Clash = fleet.Clash{Tries: 3, Paths: []string{"go.mod"}, Since: noon.Add(-8 * time.Minute)}
	b.Tasks[7].OnHold, b.Tasks[7].Reason, b.Tasks[7].RequeuedAt = true, "3 ships failed: make test fails", noon.Add(-50*time.Minute)
	b.Disk = fleet.Hindrance{Why: "no space left on device", Since: noon.Add(-time.Minute)}
	return b
}

// All needs of a crowd and their reasons can be read without a key, on every screen and in every theme.
func TestCrowd(t *testing.T) {
	t.Cleanup(func() { theme.Activate(theme.Dark) })
	for _, look := range []theme.Name{theme.Dark, theme.Light, theme.Contrast, theme.Mono} {
		for _, size := range [][2]int{{200, 50}, {120, 35}, {80, 24}} {
			t.Run(fmt.Sprintf("%s/%d", look, size[0]), func(t *testing.T) {
				s := setStage(t, size[0], size[1], aCrowd(t), someLogs(), func(o *Options) { o.Theme = look })
				s.shows("▲ 6 need you", "▲ the hub cannot write: no space left on device", "▲ ship-17 asks you: permission to run: rm -rf build",
					"▲ ship-33, ship-40 and 2 more ships cannot log in: please run /login", "▲ task 8 is on hold: 3 ships failed: make test fails",
					"▲ ship-1, task 7 conflicts: 3 times in a row, the last in go.mod", "▲ ship-88 cannot be reached: no answer for 15s")
				s.golden(fmt.Sprintf("crowd-%s-%d", look, size[0]))
			})
		}
	}
}

// clocked opens a dashboard whose clock the test moves.
func clocked(t *testing.T, b *fleet.Board, width, height int) (s *stage, pass func(time.Duration)) {
	now := noon
	s = setStage(t, width, height, b, nil, func(o *Options) { o.Now, o.Quiet = func() time.Time { return now }, false })
	return s, func(d time.Duration) {
		now = now.Add(d)
		s.m.clock = clock.Clock{}
		s.do(clock.Tick{})
	}
}

// ! goes to one need after the other, to its ship or task, and then to the first again.
func TestNextNeed(t *testing.T) {
	b := aCrowd(t)
	s, pass := clocked(t, b, 120, 40)
	s.press("2", "/", "z", "z", "enter", "u", "3")
	on := func(f screen.Pane) {
		t.Helper()
		if s.m.focus != f || !s.m.atHome() {
			t.Errorf("the focus is on %d at %d", s.m.focus, s.m.place)
		}
	}
	next := func() {
		pass(2 * time.Second)
		s.press("!")
	}
	next()
	s.shows("─ What needs you ─", "the hub cannot write", "no space left on device", "what helps: doctor", "ocaptain doctor")
	for _, name := range []string{"ship-17", "ship-33"} {
		next()
		on(screen.Agents)
		if len(s.m.dialogs) > 0 || s.m.shipName() != name {
			t.Fatalf("%d dialogs, on %s, not on %s", len(s.m.dialogs), s.m.shipName(), name)
		}
	}
	next()
	on(screen.Tasks)
	if got := s.m.selectedTask(); got == nil || got.ID != "8" {
		t.Errorf("the selected task is %v", got)
	}
	s.shows("task 8 is on hold: ")
	s.press("o")
	next()
	on(screen.Agents)
	next()
	next()
	s.shows("no space left on device", "what helps: doctor")
	s.press("esc")
	if len(s.m.dialogs) > 0 {
		t.Error("the dialog stays")
	}
}

// ! twice lists all needs; enter does what helps with the selected one.
func TestListOfNeeds(t *testing.T) {
	each(t, "list", func(t *testing.T, w, h int, file string) {
		s := setStage(t, w, h, aCrowd(t), someLogs(), nil)
		s.press("!", "!", "j", "j", "j")
		s.golden("needs" + file)
	})
	b := aCrowd(t)
	b.Steering = []fleet.Steering{{Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "6", Ship: "ship-0", Word: fleet.Waits}}
	b.Ships[2].Status = fleet.Status{Word: fleet.Idle, Need: fleet.NeedLeftAlone, Reason: "told of ready tasks 9 times", Since: noon.Add(-2 * time.Minute)}
	b.Ships[3].Guard, b.Ships[4].Guard, b.Guard = "older than 8h", "older than 8h", "the voyage is older than 8h"
	b.Orphans = []string{"left-1"}
	b.Budget = fleet.Budget{Max: 10, Spent: 8, Since: noon}
	b.Ships[5].Rate = fleet.Rate{Max: 3, Spent: 3, Since: noon, Until: noon.Add(time.Hour)}
	b.Problems = []string{"task 99: it is no task"}
	long := strings.Repeat("and more ", 30)
	b.Proposals = []fleet.Proposal{{ID: 7, Ship: "ship-0", Task: "6", Text: "add a task to test the moon, " + long + "finally", At: noon}}
	for kind, shows := range map[fleet.NeedKind][]string{
		fleet.NeedDisk:        {"what helps: doctor"},
		fleet.NeedAnswer:      {"[4] ship-17"},
		fleet.NeedSteering:    {"─ 6 ─"},
		fleet.NeedHold:        {"Requeue task 8?", "3 ships failed: make test fails"},
		fleet.NeedConflict:    {"ship-1"},
		fleet.NeedLeftAlone:   {"Message to ship-2"},
		fleet.NeedUnreachable: {"Give ship-88 a new machine?"},
		fleet.NeedOrphans:     {"look for machines that no voyage has …"},
		fleet.NeedRecords:     {"task 99: it is no task", "ocaptain doctor"},
		fleet.NeedCost:        {"Sink "},
		fleet.NeedBudget:      {"What may this voyage cost", "$8.00 of $10.00", "20"},
		fleet.NeedRate:        {"resume ship-5: helm is not there yet"},
		fleet.NeedProposal:    {"─ proposal 7 ─", "add a task to test the moon", "finally", "It cannot be accepted"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			s := setStage(t, 120, 40, b, nil, nil)
			s.press("!", "!")
			for i := range s.m.v.Needs.All {
				if s.m.v.Needs.All[i].Kind == kind {
					break
				}
				s.press("j")
			}
			s.press("enter")
			s.shows(shows...)
			if (kind == fleet.NeedConflict || kind == fleet.NeedSteering) && s.m.diff() == nil {
				t.Error("there is no diff")
			}
		})
	}
}

// A proposal is shown in full before the captain accepts it, and helm is told to do exactly what was shown.
func TestProposals(t *testing.T) {
	long := strings.Repeat("it is far away\n", 60) + "and cold"
	b := calm(aBoard(t))
	b.Proposals = []fleet.Proposal{
		{ID: 7, Ship: "ship-0", Text: "add a task: Test the moon", At: noon, Edit: &tasks.Edit{Subject: "Test the moon", Description: long, BlockedBy: []string{"6"}}},
		{ID: 8, Ship: "ship-0", Task: "6", Text: "delete task 6", At: noon, Cancel: true},
	}
	s := setStage(t, 120, 40, b, nil, nil)
	asked := s.helm()
	decided := func(shows string) (got api.ProposalRequest) {
		t.Helper()
		s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
		s.shows(shows)
		is := s.next(asked)
		if err := json.Unmarshal([]byte(is.body), &got); err != nil || is.path != "/v1/voyages/"+b.Voyage.ID+"/proposal" {
			t.Fatalf("helm is asked for %+v, %v", is, err)
		}
		return got
	}
	s.press("!")
	s.shows("─ proposal 7 ─", "Subject: Test the moon", "Waits for: 6", "  it is far away", "more rows: j scrolls")
	s.press("G")
	s.shows("  and cold")
	s.press("A")
	s.shows("Accept proposal 7?")
	s.press("y")
	if got := decided("accept proposal 7: done"); !got.Accept || !got.Saw.IsSame(&b.Proposals[0]) {
		t.Errorf("helm is asked for %+v", got)
	}
	s.press("2", "P", "X")
	s.shows("Reject proposal 7")
	s.press("n", "o", "ctrl+s")
	if got := decided("reject proposal 7: done"); got.Accept || got.Proposal != 7 || got.Reason != "no" {
		t.Errorf("helm is asked for %+v", got)
	}
	s.press("!", "!", "j", "enter", "A")
	s.shows("Accept proposal 8?", "Task 6 is cancelled for good.")
	s.press("esc")
	b.Phase = fleet.Complete
	s.run(s.m.setBoard(b))
	s.press("A")
	s.shows("it cannot be accepted: the voyage is complete")
}

// A chosen need that is over has no effect.
func TestNeedThatIsOver(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	s.press("!", "!")
	s.run(s.m.setBoard(calm(aBoard(t))))
	s.press("enter")
	s.shows("that does not need you any more")
	s.press("!", "!")
	s.shows("nothing needs you")
}

// A need that arises with time alone is found and announced with a bell then, without a new board.
func TestNeedsComeWithTime(t *testing.T) {
	b := calm(aBoard(t))
	for i := range b.Ships {
		b.Ships[i].Status.Since = noon.Add(-time.Hour)
	}
	b.Ships[3].Status = fleet.Status{Word: fleet.Exited, Need: fleet.NeedExited, Reason: "exit code 1", Since: noon.Add(-time.Second)}
	b.Repository = fleet.Hindrance{Why: "a merge of yours is under way", Since: noon.Add(-time.Second)}
	s, pass := clocked(t, b, 120, 30)
	if got := s.m.pace(); got != time.Second || strings.Contains(s.text(), "▲") {
		t.Fatalf("it looks again in %v; the screen is\n%s", got, s.text())
	}
	pass(10 * time.Second)
	s.shows("▲ 1 needs you", "▲ the hub cannot merge: a merge of yours is under way")
	s.until("it rings", func() bool { return strings.Contains(s.rung(), "cannot merge") })
	s.sent = nil
	pass(3 * time.Second)
	b.At = noon.Add(40 * time.Second)
	s.m.v.Board.At = b.At
	pass(17 * time.Second)
	s.shows("▲ 2 need you", "ship-3 has exited: exit code 1")
	s.until("it rings", func() bool { return strings.Contains(s.rung(), "has exited") })
	if s.m.toasts.Shown = nil; s.m.v.Needs.Ripens() {
		t.Error("it looks again and again")
	}
}

// Two needs that arise within a moment both ring, one after the other.
func TestBellIsPutOff(t *testing.T) {
	s, pass := clocked(t, aBoard(t), 120, 30)
	s.run(s.m.ring("one"))
	s.until("it rings", func() bool { return strings.Contains(s.rung(), "one") })
	s.sent = nil
	s.run(s.m.ring("two"))
	pass(time.Second)
	if s.rung() != "" {
		t.Errorf("it rings at once: %q", s.rung())
	}
	pass(5 * time.Second)
	s.until("it rings", func() bool { return strings.Contains(s.rung(), "two") })
}

// A helm that is away for a while is a need; a helm that nothing needs is not.
func TestHelmAway(t *testing.T) {
	b := calm(aBoard(t))
	s, pass := clocked(t, b, 120, 30)
	down := func(err error) {
		s.run(s.m.setHelm(connection.State{Err: err, Since: s.m.o.Now()}))
	}
	down(connection.ErrIdle)
	pass(20 * time.Second)
	if strings.Contains(s.text(), "need you") {
		t.Errorf("a helm that rests is missed:\n%s", s.text())
	}
	b.At = noon.Add(time.Hour)
	s.run(s.m.setBoard(b))
	for range 3 { // the connection is tried again and again
		if strings.Contains(s.text(), "need") {
			t.Errorf("it is missed at once:\n%s", s.text())
		}
		down(connection.ErrStopped)
		pass(4 * time.Second)
	}
	s.shows("▲ 1 needs you", "helm is away: it was stopped on purpose")
	s.run(s.m.setHelm(connection.State{Client: new(api.Client), Since: s.m.o.Now()}))
	if strings.Contains(s.text(), "need") {
		t.Errorf("it is missed though it is back:\n%s", s.text())
	}
}

// A click on a need goes to it.
func TestClickOnNeeds(t *testing.T) {
	s := setStage(t, 80, 24, aCrowd(t), nil, nil)
	s.do(tea.MouseClickMsg{X: 5, Y: 2, Button: tea.MouseLeft})
	if s.m.shipName() != "ship-17" || s.m.focus != screen.Agents {
		t.Errorf("it goes to %s", s.m.shipName())
	}
	b := aCrowd(t)
	b.Ships[50].Guard, b.Problems = "older than 8h", []string{"one", "two"}
	s = setStage(t, 80, 24, b, nil, nil)
	s.shows("▲ 4 more need you; !! lists all")
	s.do(tea.MouseClickMsg{X: 5, Y: 6, Button: tea.MouseLeft})
	s.shows("1 of 9")
}

// A voyage in which nothing can go on is not called sailing, and its tasks on hold are not counted as pending.
func TestStuck(t *testing.T) {
	b := calm(aBoard(t))
	for i := range b.Tasks {
		b.Tasks[i].Status, b.Tasks[i].OnHold = tasks.Completed, false
	}
	for i := range 2 {
		b.Tasks[i].Status, b.Tasks[i].OnHold, b.Tasks[i].Reason = tasks.Pending, true, "exit 3"
	}
	s := setStage(t, 120, 30, b, nil, nil)
	s.shows("▲ stuck", "tasks 0P 0W 26D 2H", "[2] Tasks", "0P 0W 26D 2H ─")
	s.m.v.Tasks.SetMode(taskpane.Tree)
	s.shows("on hold")
}

// Helm accepts a changed verify.sh after the captain confirms, and not before.
func TestAgreeToVerify(t *testing.T) {
	b := calm(aBoard(t))
	b.Phase, b.Unverified = fleet.Verifying, fleet.Hindrance{Why: "/v/verify.sh was changed", Since: noon.Add(-time.Hour), Changed: true}
	s := setStage(t, 120, 40, b, nil, nil)
	asked := s.helm()
	s.press("!")
	s.shows("cannot be verified", "/v/verify.sh was changed", "what helps: agree")
	s.press("!", "enter")
	s.shows("Agree to verify.sh, spec.md and prompts as they are now?", "/v/verify.sh was changed")
	s.press("y")
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	if got := s.next(asked); got.path != "/v1/voyages/"+b.Voyage.ID+"/verify" || !strings.Contains(got.body, `"accept":true`) {
		t.Errorf("helm is asked for %+v", got)
	}
}
