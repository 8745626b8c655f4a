package serve

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// A kill at any point of typing a message loses nothing and causes no second typing: the next serve finishes what the
// killed one began.
func TestTypingIsFinishedAfterAKill(t *testing.T) {
	box, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		attempt bool // the attempt was recorded
		pasted  bool // the text is in the input line
		entered bool // Enter was pressed
		noted   bool // the press of Enter was recorded
		heard   bool // the hook has written to the journal
		stale   bool // the agent was restarted since
		done    bool // the mailbox has forgotten the message
		types   int  // how often the agent gets the message after the kill
	}{
		{name: "before anything", types: 1},
		{name: "before the paste", attempt: true, types: 1},
		{name: "after the paste", attempt: true, pasted: true, types: 1},
		{name: "before Enter", attempt: true, pasted: true, noted: true, types: 1},
		{name: "after it was heard", attempt: true, pasted: true, entered: true, noted: true, heard: true},
		{name: "with the agent", attempt: true, noted: true, stale: true, types: 1},
		{name: "at the very end", attempt: true, heard: true, noted: true, done: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
			aboardtest.PutClaude(t, dir, "")
			w := aboardtest.NewWindow(t, dir)
			w.Run()
			eventually.Holds(t, "the agent", func() bool { return w.Running().Agent.Alive() && strings.Contains(w.Screen(), "❯") })
			h := shipdir.Dir(dir)
			text := "Take-this"
			m := mailbox.Message{ID: "message-1", Text: text}
			mail, err := mailbox.Open(h.Mail())
			if err != nil {
				t.Fatal(err)
			}
			if err := mail.Add(m); err != nil {
				t.Fatal(err)
			}
			if tt.attempt {
				_, end, err := openBook(t, h).Identity()
				if err != nil {
					t.Fatal(err)
				}
				a := shipdir.Attempt{ID: m.ID, Sum: box.Box.Gist(text), Text: text, From: end, Agent: w.Running().Agent}
				if tt.noted {
					a.Pasted, a.Enter = true, time.Now()
				}
				if tt.stale {
					a.Agent.Start = "another life"
				}
				if err := shipdir.WriteJSON(h.Attempt(), a); err != nil {
					t.Fatal(err)
				}
			}
			hook := func() {
				aboardtest.Fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
			}
			if tt.pasted {
				w.Must("send-keys", "-t", "claude", "-l", text)
			}
			if tt.entered {
				w.Must("send-keys", "-t", "claude", "Enter")
				eventually.Holds(t, "what was typed", func() bool { return strings.Contains(w.Screen(), "heard "+text) })
			}
			if tt.heard {
				hook()
			}
			if tt.done {
				if err := mail.Remove(m.ID); err != nil {
					t.Fatal(err)
				}
			}
			heardBefore := strings.Count(w.Screen(), "heard "+text)
			helm := aboardtest.NewHelm(t)
			helm.Connect(dir)
			if tt.types > 0 {
				eventually.Holds(t, "the message", func() bool { return strings.Count(w.Screen(), "heard "+text) == heardBefore+tt.types })
				hook()
			}
			eventually.Holds(t, "an empty box", func() bool {
				b, err := mailbox.Open(h.Mail())
				return err == nil && b.Len() == 0 && b.WasDone(m.ID)
			})
			if got := strings.Count(w.Screen(), "heard "); got != heardBefore+tt.types {
				t.Errorf("the agent heard %d messages, want %d", got-heardBefore, tt.types)
			}
			if !tt.done {
				eventually.Holds(t, "the word to helm", func() bool { return helm.Mailed(m.ID).State == proto.MailSubmitted })
			}
			if got := helm.Mail(m.ID, text); got != m.ID || mailLen(t, h) != 0 {
				t.Error("the message came in again")
			}
		})
	}
}

func openBook(t *testing.T, h shipdir.Dir) *shipdir.Journal {
	t.Helper()
	b, err := shipdir.OpenJournal(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func mailLen(t *testing.T, h shipdir.Dir) int {
	t.Helper()
	b, err := mailbox.Open(h.Mail())
	if err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
