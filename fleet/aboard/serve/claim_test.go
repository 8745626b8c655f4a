package serve

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// A claim is lost while helm is not connected: the agent is told at the next connection.
func TestTaskIsLostWhileAway(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	end := helm.Connect(dir)
	aboardtest.Fire(t, dir, agent.HookClaim, aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}))
	if err := end(); err != nil {
		t.Fatal(err)
	}
	again := helm.Connect(dir)
	if aboardtest.Exists(shipdir.Dir(dir).Lost()) || !aboardtest.Exists(shipdir.Dir(dir).Claim()) {
		t.Error("a claim that stands is lost")
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	helm.Change(func() {
		lost := helm.Tasks["1"]
		lost.Status, lost.Owner = tasks.Pending, ""
		helm.Tasks["1"], helm.Fates = lost, map[string]proto.Fate{"1": {Why: "nothing was heard of it"}}
	})
	helm.Connect(dir)
	eventually.Holds(t, "the loss", func() bool { return aboardtest.Exists(shipdir.Dir(dir).Lost()) })
	var l shipdir.LostClaim
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Lost(), &l); err != nil || l.Epoch != 1 || !strings.Contains(l.Text, "nothing was heard of it") {
		t.Errorf("lost: %+v, %v", l, err)
	}
}

// TestGoesOnLater interrupts an agent that shall later continue its task. The agent is told so, since an interrupted agent does
// nothing until it gets a message.
func TestGoesOnLater(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Connect(dir)
	aboardtest.Fire(t, dir, agent.HookClaim, aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}))
	helm.TakeBack("1", proto.Fate{Why: "max_turns", GoesOn: true})
	eventually.Holds(t, "the message", func() bool {
		box, err := mailbox.Open(shipdir.Dir(dir).Mail())
		return err == nil && slices.ContainsFunc(box.All(), func(m mailbox.Message) bool { return strings.Contains(m.Text, "you go on with it") })
	})
}

// If a claim is lost before the agent has got the message to work on it, that message is removed. Other messages stay.
func TestLostTaskIsNotBegun(t *testing.T) {
	for name, custom := range map[string]func(*proto.Ship){"typed": nil, "by turns": func(s *proto.Ship) { s.Agent = "codex" }} {
		dir := aboardtest.NewShip(t, nil)
		if custom != nil {
			var s proto.Ship
			file := filepath.Join(dir, ".ocaptain", "ship.json")
			if err := shipdir.ReadJSON(file, &s); err != nil {
				t.Fatal(err)
			}
			custom(&s)
			if err := shipdir.WriteJSON(file, s); err != nil {
				t.Fatal(err)
			}
		}
		helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
		helm.Change(func() {
			held := helm.Tasks["1"]
			held.Status, held.Owner = tasks.InProgress, "ship-0"
			helm.Tasks["1"] = held
		})
		helm.Connect(dir)
		claim := proto.Claim{Task: "1", Epoch: 1}
		for _, m := range []mailbox.Message{{ID: "task-1-1", Text: "do it", Claim: claim}, {ID: "message-2", Text: "hello"}} {
			var got proto.Mail
			if err := helm.Conn.Call(t.Context(), proto.MethodMail, m, &got); err != nil {
				t.Fatal(err)
			}
		}
		waiting := func() (ids []string) {
			box, err := mailbox.Open(shipdir.Dir(dir).Mail())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range box.All() {
				ids = append(ids, m.ID)
			}
			return ids
		}
		if is := waiting(); !slices.Equal(is, []string{"task-1-1", "message-2"}) {
			t.Fatalf("%s: there are %q", name, is)
		}
		helm.TakeBack("1", proto.Fate{Why: "requeued by the captain"})
		eventually.Holds(t, name+": it is taken out", func() bool {
			is := waiting()
			return len(is) > 0 && is[0] == "message-2" && !slices.Contains(is, "task-1-1")
		})
	}
}
