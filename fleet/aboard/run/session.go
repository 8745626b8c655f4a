package run

import (
	"encoding/json"
	"os"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// history is what a runner knows of the sessions before.
type history struct {
	failures int  // starts in a row that could not take the session up
	lost     bool // the session cannot be taken up
}

// The bounds of trying to take up a session whose history may be damaged, as after a power cut.
const (
	resumeTries = 2
	resumeTime  = 20 * time.Second // a session that lives longer was taken up
)

// judgeStart learns from the end of a start whether its session can be taken up at all.
func (h *history) judgeStart(set agent.Setup, lived time.Duration, end proto.AgentExited) {
	if !set.Resume || end.Code <= 0 || lived > resumeTime {
		h.failures = 0
		return
	}
	if h.failures++; h.failures == resumeTries {
		h.failures, h.lost = 0, true
	}
}

// resume settles with which session to start. One that cannot be taken up gives way to a new
// one, whose agent is told what is known of the one before.
func (r *runner) resume(set *agent.Setup, last string) {
	set.Session = last
	set.Resume = !r.past.lost && r.agent.Resumable(string(r.home), last)
	if set.Resume {
		return
	}
	set.Session = newSession()
	if r.past.lost {
		r.past.lost = false // of the new session nothing is known yet
		_ = os.Remove(r.home.Session())
	}
	if last == "" || set.First == "" {
		return
	}
	if words := lastWords(r.home.Journal()); len(words) > 0 {
		set.First = agent.Continue(r.ship.Name, r.ship.Voyage, agent.Before{Words: words})
		r.book.Log("note", "the session before cannot be taken up, so the agent begins anew with a summary", "")
	}
}

// lastWords returns what the end of the ship's journal says of the agent's work, oldest first.
func lastWords(path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var words agent.LastWords
	_, _ = journal.Read(path, max(0, info.Size()-agent.LastPart), func(rec journal.Record) error {
		var l proto.Log
		if rec.Kind == proto.KindLog && json.Unmarshal(rec.Data, &l) == nil {
			words.Add(l.Kind, l.Text)
		}
		return nil // what the part begins within is no record
	})
	return words
}
