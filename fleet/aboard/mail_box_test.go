package aboard

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// mail hands a message over and returns its id.
func (h *fakeHelm) mail(id, text string) string {
	h.t.Helper()
	var got proto.Mail
	if err := h.conn.Call(h.t.Context(), proto.MethodMail, mailbox.Message{ID: id, Text: text}, &got); err != nil || got.ID != id {
		h.t.Fatalf("mail: %+v, %v", got, err)
	}
	return id
}

// mailed is what the ship told last of a message.
func (h *fakeHelm) mailed(id string) (last proto.Mail) {
	for _, m := range seen[proto.Mail](h, proto.KindMail) {
		if m.ID == id {
			last = m
		}
	}
	return last
}

// What is in the captain's way, or the captain's, is left alone: a draft comes back, a
// shell command that is being typed is not mixed with a message. What the prompt cannot
// hold is told beside it. An interrupted agent waits and goes on.
func TestRealClaudeAndTheCaptain(t *testing.T) {
	dir, w, api := realClaude(t, func(r claudetest.Request) claudetest.Reply {
		if p := r.Prompts(); strings.Contains(p[len(p)-1], "slowly") {
			return claudetest.Reply{After: time.Hour}
		}
		reply := claudetest.Say("Aye.")
		if p := r.Prompts(); strings.Contains(p[len(p)-1], "a moment") {
			reply.After = 3 * time.Second
		}
		return reply
	})
	helm := newHelm(t)
	helm.connect(dir)
	patient(t, "the prompt", func() bool { return strings.Contains(w.screen(), "❯") })

	w.must("send-keys", "-t", "claude", "-l", "my draft")
	patient(t, "the draft", func() bool { return strings.Contains(w.screen(), "❯\u00a0my draft") })
	first := helm.mail("message-1", "Please take note.")
	patient(t, "the first message", func() bool { return helm.mailed(first).State == proto.MailSubmitted })
	patient(t, "the draft again", func() bool { return strings.Contains(w.screen(), "❯\u00a0my draft") })
	w.must("send-keys", "-t", "claude", "C-u")

	patient(t, "an empty prompt", func() bool { return !strings.Contains(w.screen(), "❯\u00a0my draft") })
	w.must("send-keys", "-t", "claude", "-l", "!")
	patient(t, "the shell's prompt", func() bool { return strings.Contains(w.screen(), "\n!") })
	second := helm.mail("message-2", "\tfirst\n\tsecond\u200b\n")
	patient(t, "the reason", func() bool { return strings.Contains(helm.mailed(second).Why, "a command is being typed") })
	w.must("send-keys", "-t", "claude", "Escape")
	patient(t, "the second message", func() bool { return helm.mailed(second).State == proto.MailSubmitted })
	if !helm.mailed(second).Altered {
		t.Error("a tab arrived, so the prompt can do what its description denies")
	}
	patient(t, "the exact text", func() bool {
		for _, m := range api.Sessions()[0].Last.Messages {
			for _, p := range m.Parts {
				if strings.Contains(p.Text, `"\tfirst\n\tsecond`) {
					return true
				}
			}
		}
		return false
	})

	third := helm.mail("message-3", "Think slowly.")
	patient(t, "the third message", func() bool { return helm.mailed(third).State == proto.MailSubmitted })
	var p proto.Paused
	patient(t, "the interrupt", func() bool {
		return helm.conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && p.Was && !p.Still
	})
	patient(t, "an agent that waits", func() bool { return strings.HasSuffix(helm.states(), "waiting") })
	patient(t, "a second interrupt, of nothing", func() bool {
		return helm.conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && !p.Was
	})
	if !w.state().Agent.Alive() {
		t.Error("the agent is gone")
	}
	fourth := helm.mail("message-4", "/go on")
	patient(t, "the fourth message", func() bool { return helm.mailed(fourth).State == proto.MailSubmitted })
	patient(t, "an agent that goes on", func() bool { return strings.HasSuffix(helm.states(), "working idle") })

	// One that comes while it answers is read when it has, though no work is there to do.
	fifth := helm.mail("message-5", "Take a moment.")
	patient(t, "the fifth message", func() bool { return helm.mailed(fifth).State == proto.MailSubmitted })
	sixth := helm.mail("message-6", "And this is read next.")
	patient(t, "the sixth message", func() bool { return helm.mailed(sixth).State == proto.MailSubmitted })
	patient(t, "its reading", func() bool {
		p := api.Sessions()[0].Last.Prompts()
		return strings.Contains(p[len(p)-1], "read next")
	})

	// A command is one only when it is meant as one, and none is typed into what is scrolled.
	w.must("copy-mode", "-t", "claude")
	command := mailbox.Message{ID: "message-7", Text: "!echo obeyed > command.txt", Command: true}
	if err := helm.conn.Call(t.Context(), proto.MethodMail, command, nil); err != nil {
		t.Fatal(err)
	}
	patient(t, "the reason", func() bool { return strings.Contains(helm.mailed(command.ID).Why, "scrolled") })
	w.must("copy-mode", "-q", "-t", "claude")
	patient(t, "the command", func() bool { return helm.mailed(command.ID).State == proto.MailTyped })
	patient(t, "what it does", func() bool { return exists(filepath.Join(dir, "voyage", "workspace", "command.txt")) })
	// The prompt that was interrupted may be a draft again by then. No Enter is pressed on it.
	if p := api.Sessions()[0].Last.Prompts(); strings.Contains(p[len(p)-1], "slowly") {
		t.Errorf("the draft was sent: %q", p)
	}
}
