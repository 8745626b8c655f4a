package run

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// history is what a runner knows of earlier starts.
type history struct {
	failures int  // how many starts in a row could not continue the session
	lost     bool // the session cannot be continued
}

// Limits of attempts to continue a session whose transcript may be damaged, as after a power cut.
const (
	resumeTries = 2
	resumeTime  = 20 * time.Second // an agent that lived longer has continued the session
)

// judgeStart decides, from how a start ended, whether its session can be continued at all.
func (h *history) judgeStart(set agent.Setup, lived time.Duration, end proto.AgentExited) {
	if !set.Resume || end.Code <= 0 || lived > resumeTime {
		h.failures = 0
		return
	}
	if h.failures++; h.failures == resumeTries {
		h.failures, h.lost = 0, true
	}
}

// resume decides which session to start with. If the last one cannot be continued, a new session begins, and its
// agent is told what is known of the last one.
func (r *runner) resume(set *agent.Setup, last string) {
	if next, ok := shipdir.LoadNext(r.home); ok && !r.agent.Resumable(string(r.home), next.Session) {
		set.Session, set.First = next.Session, next.First
		return
	}
	set.Session = last
	set.Resume = !r.past.lost && r.agent.Resumable(string(r.home), last)
	if set.Resume {
		return
	}
	set.Session = shipdir.NewSession()
	if r.past.lost {
		r.past.lost = false // nothing bad is known of the new session
		_ = os.Remove(r.home.Session())
	}
	if last == "" || set.First == "" {
		return
	}
	if b := r.before(); !b.IsNothing() {
		set.First = agent.Continue(r.ship.Name, r.ship.Voyage, b, r.agentTold().Begin())
		r.book.Log("note", "the session before cannot be taken up, so the agent begins anew with a summary", "")
	}
}

// before collects what is known of the work in a session that cannot be continued, for the next one.
func (r *runner) before() agent.Before {
	b := agent.Before{Words: lastWords(r.home.Journal())}
	var c proto.Claim
	if shipdir.ReadJSON(r.home.Claim(), &c) == nil {
		b.Task = c.Task
		var t struct {
			Subject string `json:"subject"`
		}
		if shipdir.ReadJSON(filepath.Join(shipdir.ListDir(string(r.home), r.ship.List), filepath.Base(c.Task)+".json"), &t) == nil {
			b.Subject = t.Subject
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "-C", r.ship.Workspace, "--no-optional-locks", "status", "--short").Output()
	if err == nil && len(out) > 0 {
		b.Changes = strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	}
	return b
}

// lastWords returns what the end of the ship's journal says about the agent's work, oldest first.
func lastWords(path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var words agentlog.LastWords
	_, _ = journal.Read(path, max(0, info.Size()-agentlog.LastPart), func(rec journal.Record) error {
		var l proto.Log
		if rec.Kind == proto.KindLog && json.Unmarshal(rec.Data, &l) == nil {
			words.Add(l.Kind, l.Text)
		}
		return nil // the part to read begins in the middle of a record
	})
	return words
}
