package dash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/toast"
)

var evil = cleantest.Hostile

// ways holds the keys that lead to each scope from the dashboard. A new scope fails the test until it has a way.
var ways = map[keys.Scope][]string{
	keys.InAgents: {"1"}, keys.InTasks: {"2"}, keys.InLogs: {"3"}, keys.InShip: {"4"}, keys.InFullLogs: {"3", "f"},
	keys.InDetail: {"2", "enter"}, keys.InDiff: {"d"}, keys.InCosts: {"$"}, keys.InDiscoveries: {"F"}, keys.InWall: {"o"}, keys.InTyping: {"1", "i"},
}

// TestExits presses every key of the table, and does every action of the palette, on a voyage whose every text is hostile: only
// plain text in our own colours may be drawn, at every width, and the same holds for the title, the notifications and the
// clipboard. A new key is covered as soon as it is in the table. The usual run takes every eighth binding, in each scope others.
func TestExits(t *testing.T) {
	n := 0
	for _, all := range []bool{false, true} {
		for _, in := range slices.Sorted(maps.Keys(ways)) {
			t.Run(fmt.Sprintf("%s %v", in, all), func(t *testing.T) {
				s := hostileStage(t, all)
				some := keys.Groups[in]
				if !all {
					some = some[:1]
				}
				for _, g := range some {
					for _, b := range bindings.Group(g) {
						if n++; n%stride == 0 {
							s.walkKeys(b, ways[in])
						}
					}
				}
			})
		}
	}
	for in := range keys.Groups {
		if ways[in] == nil {
			t.Errorf("ways lacks %s: add the keys that lead there", in)
		}
	}
}

// walkKeys does what a binding does, in the scope of its keys.
func (s *stage) walkKeys(b *keys.Binding[*Model], way []string) {
	s.Helper()
	for _, k := range b.Keys {
		if slices.Contains([]string{"q", "ctrl+c", "ctrl+z"}, k) {
			continue // these leave the dashboard
		}
		s.home()
		s.press(way...)
		s.press(k)
		s.exits("key " + k)
		s.press("down", "enter")
		s.exits("key " + k + " and enter")
	}
	if len(b.Keys) == 0 {
		s.home()
		s.run(b.Do(s.m))
		s.exits(b.Name)
	}
}

// home goes back to the dashboard.
func (s *stage) home() {
	for range 4 {
		s.press("ctrl+q", "esc")
	}
}

// exits checks everything that the terminal gets.
func (s *stage) exits(exit string) {
	s.Helper()
	s.settle()
	for _, width := range []int{s.m.width, 60} {
		s.do(tea.WindowSizeMsg{Width: width, Height: s.m.height})
		view := s.m.View()
		if s.seen[view.WindowTitle+view.Content] { // most keys change nothing, and checking costs more than drawing
			continue
		}
		s.seen[view.WindowTitle+view.Content] = true
		cleantest.Check(s, exit, view.Content, cleantest.Lines)
		cleantest.Check(s, exit+": title", view.WindowTitle, cleantest.Lines)
		rows := strings.Split(view.Content, "\n")
		if len(rows) > s.m.height {
			s.Errorf("%s: %d rows on %d", exit, len(rows), s.m.height)
		}
		for _, row := range rows {
			if w := ansi.StringWidth(row); w > width || strings.Contains(row, "\t") {
				s.Errorf("%s: a row of %d cells on %d: %q", exit, w, width, row)
				break
			}
		}
	}
	s.do(tea.WindowSizeMsg{Width: 200, Height: s.m.height})
	for _, msg := range s.sent {
		text := fmt.Sprintf("%s", msg)
		for _, known := range []string{"\a\x1b]9;ocaptain: ", "\x1b]777;notify;ocaptain;", "\x1b]99;;ocaptain: ", "\x1b\\"} {
			text = strings.ReplaceAll(text, known, " ")
		}
		text = strings.Trim(text, "{} ")
		cleantest.Check(s, exit+fmt.Sprintf(": %T", msg), text, cleantest.Texts)
	}
	s.sent = nil
}

// settle handles the messages that have come so far.
func (s *stage) settle() {
	for {
		select {
		case msg := <-s.msgs:
			s.do(msg)
		default:
			return
		}
	}
}

// hostileStage opens a dashboard with hostile ships. Their names are plain unless all is set.
func hostileStage(t *testing.T, all bool) *stage {
	t.Helper()
	b := aBoard(t)
	b.Notes = []fleet.Note{{At: noon, Ship: "ship-0", Text: "note"}, {At: noon, Ship: "ship-0", Task: "6", Text: "note"}}
	b.Problems, b.Guard, b.Ships[3].Guard = []string{"problem"}, "guard", "guard"
	b.Ships[1].Queued, b.Ships[1].Slowed, b.Ships[1].Conflicts = 1, []string{"log"}, 2
	b.Voyage.Sync, b.Ships[1].Tree = fleet.SyncLive, fleet.SharedTree{State: fleet.TreeAway, Why: "why", Conflicts: []string{"a.go"}, Problems: []fleet.TreeProblem{{Path: "b.go", Why: "odd"}}}
	b.Steering = []fleet.Steering{{Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "6", Ship: "ship-0", Word: fleet.Waits}}
	b.Verify = fleet.Verify{Runs: 1, At: noon, Output: "failed"}
	b.Proposals = []fleet.Proposal{{ID: 1, Ship: "ship-0", Text: "add", Edit: &tasks.Edit{Subject: "subject", Description: "text", Blocks: []string{"6"}}}}
	id := b.Voyage.ID
	logs := someLogs()
	cleantest.Fill(b, all)
	b.Voyage.ID = id
	for _, lines := range logs {
		for i := range lines {
			cleantest.Fill(&lines[i], all)
		}
	}
	if !all {
		for i := range b.Ships {
			b.Ships[i].Name = fmt.Sprint("ship-", i)
		}
	}
	s := setStage(t, 200, 40, b, logs, func(o *Options) {
		o.Quiet = false
		o.Helm = func(context.Context) (*api.Client, error) { return nil, errors.New(evil) }
		for _, dir := range []string{"evil\x1b[2J\u202e", "plan\xff"} {
			if err := os.MkdirAll(filepath.Join(o.Yard.Cwd, "plans", dir, "tasks"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	})
	s.measured("ship-0", "worker", "1", "evil model", 100)
	s.measured(evil, evil, evil, evil, 100)
	s.exits("first screen")
	s.shows("evil")
	return s
}

// TestExitsOfNews checks what comes without a key: messages, progress, errors, notifications, and the states of helm. The
// captain's own message to an agent is left as it is.
func TestExitsOfNews(t *testing.T) {
	var found api.Sweep
	found.Orphans, found.Others, found.Unasked = make([]machines.Orphan, 2), make([]machines.Orphan, 1), make([]api.Unasked, 1)
	cleantest.Fill(&found, true)
	found.Unsure = ""
	for exit, happen := range map[string]func(*stage){
		"message": func(s *stage) { s.run(s.m.say(toast.Bad, evil)); s.run(s.m.say(toast.Warn, cleantest.Long)) },
		"ring":    func(s *stage) { s.run(s.m.ring(evil)); s.until("it rings", func() bool { return len(s.sent) > 0 }) },
		"no helm": func(s *stage) {
			s.run(s.m.setHelm(connection.State{Client: new(api.Client), Since: noon}))
			s.run(s.m.setHelm(connection.State{Err: errors.New(evil), Since: noon}))
		},
		"trees": func(s *stage) { s.run(s.m.openTrees()); s.exits("the trees"); s.press("S") },
		"sweep": func(s *stage) { s.run(s.m.desk.AskSweep(nil, found)) },
		"voyages": func(s *stage) {
			s.press("V")
			s.until("the list is there", func() bool { return len(s.m.dialogs) > 0 })
		},
		"sail":    func(s *stage) { s.press("s", "down", "enter"); s.settle() },
		"filter":  func(s *stage) { s.press("/"); s.do(tea.PasteMsg{Content: evil}); s.press("enter") },
		"palette": func(s *stage) { s.press(":"); s.do(tea.PasteMsg{Content: evil}) },
		"new need": func(s *stage) {
			s.m.v.Board.Ships[0].Status = fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Reason: evil}
			s.m.lookAgain()
			s.run(s.m.attend())
		},
		"progress": func(s *stage) {
			s.run(s.m.jobs.Start(evil, func(_ context.Context, report func(api.Progress)) (act.Ending, error) {
				for _, state := range []string{api.StepStarted, api.StepDone, api.StepFailed, api.StepNote, ""} {
					report(api.Progress{Ship: evil, Step: evil, State: state, Text: evil})
				}
				return act.Ending{}, errors.New(evil)
			}))
			s.until("it ends", func() bool { return s.m.jobs.Running() == 0 })
		},
		"progress so far": func(s *stage) {
			s.run(s.m.jobs.Run(evil, func(ctx context.Context, report func(api.Progress)) error {
				report(api.Progress{Ship: evil, Step: evil, State: api.StepStarted, Text: evil})
				<-ctx.Done()
				return nil
			}))
			begun := s.m.toasts.Shown[0].Text
			s.until("it is told", func() bool { return s.m.toasts.Shown[0].Text != begun })
		},
	} {
		t.Run(exit, func(t *testing.T) {
			s := hostileStage(t, true)
			happen(s)
			s.exits(exit)
			s.home()
			s.press("@")
			s.exits(exit + " in the history")
		})
	}
}
