//go:build long

package run

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// ocaptain leaves the captain's input alone: a draft comes back after a message, and a shell command that he types is
// not mixed with one. If the prompt cannot hold a message exactly, the exact text is sent along. An interrupted agent
// waits and goes on.
func TestRealClaudeAndTheCaptain(t *testing.T) {
	t.Parallel()
	dir, w, api := realClaude(t, func(r loopback.Request) loopback.Reply {
		if p := r.Prompts(); strings.Contains(p[len(p)-1], "slowly") {
			return loopback.Reply{After: time.Hour}
		}
		reply := loopback.Say("Aye.")
		if p := r.Prompts(); strings.Contains(p[len(p)-1], "a moment") {
			reply.After = 3 * time.Second
		}
		return reply
	})
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	eventually.Holds(t, "the prompt", func() bool { return strings.Contains(w.Screen(), "❯") })

	w.Must("send-keys", "-t", "claude", "-l", "my draft")
	eventually.Holds(t, "the draft", func() bool { return strings.Contains(w.Screen(), "❯\u00a0my draft") })
	first := helm.Mail("message-1", "Please take note.")
	eventually.Holds(t, "the first message", func() bool { return helm.Mailed(first).State == proto.MailSubmitted })
	eventually.Holds(t, "the draft again", func() bool { return strings.Contains(w.Screen(), "❯\u00a0my draft") })
	w.Must("send-keys", "-t", "claude", "C-u")

	eventually.Holds(t, "an empty prompt", func() bool { return !strings.Contains(w.Screen(), "❯\u00a0my draft") })
	w.Must("send-keys", "-t", "claude", "-l", "!")
	eventually.Holds(t, "the shell's prompt", func() bool { return strings.Contains(w.Screen(), "\n!") })
	second := helm.Mail("message-2", "\tfirst\n\tsecond\u200b\n")
	eventually.Holds(t, "the reason", func() bool { return strings.Contains(helm.Mailed(second).Why, "a command is being typed") })
	w.Must("send-keys", "-t", "claude", "Escape")
	eventually.Holds(t, "the second message", func() bool { return helm.Mailed(second).State == proto.MailSubmitted })
	if !helm.Mailed(second).Altered {
		t.Error("a tab arrived, so the prompt can do what its description denies")
	}
	eventually.Holds(t, "the exact text", func() bool {
		for _, m := range api.Sessions()[0].Last.Messages {
			for _, p := range m.Parts {
				if strings.Contains(p.Text, `"\tfirst\n\tsecond`) {
					return true
				}
			}
		}
		return false
	})

	third := helm.Mail("message-3", "Think slowly.")
	eventually.Holds(t, "the third message", func() bool { return helm.Mailed(third).State == proto.MailSubmitted })
	var p proto.Paused
	eventually.Holds(t, "the interrupt", func() bool {
		return helm.Conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && p.Was && !p.Still
	})
	eventually.Holds(t, "an agent that waits", func() bool { return strings.HasSuffix(helm.States(), "waiting") })
	eventually.Holds(t, "a second interrupt, of nothing", func() bool {
		return helm.Conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && !p.Was
	})
	if !w.Running().Agent.Alive() {
		t.Error("the agent is gone")
	}
	fourth := helm.Mail("message-4", "/go on")
	eventually.Holds(t, "the fourth message", func() bool { return helm.Mailed(fourth).State == proto.MailSubmitted })
	eventually.Holds(t, "an agent that goes on", func() bool { return strings.HasSuffix(helm.States(), "working idle") })

	// The agent reads a message that arrives during its answer once it is done, even if no work is ready.
	fifth := helm.Mail("message-5", "Take a moment.")
	eventually.Holds(t, "the fifth message", func() bool { return helm.Mailed(fifth).State == proto.MailSubmitted })
	sixth := helm.Mail("message-6", "And this is read next.")
	eventually.Holds(t, "the sixth message", func() bool { return helm.Mailed(sixth).State == proto.MailSubmitted })
	eventually.Holds(t, "its reading", func() bool {
		p := api.Sessions()[0].Last.Prompts()
		return strings.Contains(p[len(p)-1], "read next")
	})

	// A text with a slash is a command only if it is meant as one. No command is typed into a scrolled screen.
	w.Must("copy-mode", "-t", "claude")
	command := mailbox.Message{ID: "message-7", Text: "!echo obeyed > command.txt", Command: true}
	if err := helm.Conn.Call(t.Context(), proto.MethodMail, command, nil); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the reason", func() bool { return strings.Contains(helm.Mailed(command.ID).Why, "scrolled") })
	w.Must("copy-mode", "-q", "-t", "claude")
	eventually.Holds(t, "the command", func() bool { return helm.Mailed(command.ID).State == proto.MailTyped })
	eventually.Holds(t, "what it does", func() bool { return aboardtest.Exists(filepath.Join(dir, "voyage", "workspace", "command.txt")) })
	// By then, Claude Code may have made the interrupted prompt a draft again. ocaptain presses no Enter on it.
	if p := api.Sessions()[0].Last.Prompts(); strings.Contains(p[len(p)-1], "slowly") {
		t.Errorf("the draft was sent: %q", p)
	}
}
