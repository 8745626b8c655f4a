//go:build long

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
)

// TestOwnAgent sails with an agent of the captain's own that works in turns. The agent of one ship talks and does
// nothing, and is offered work less and less often. The others do all tasks: some tasks take two turns, one fails on
// the way, and some conflict with each other.
func TestOwnAgent(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "CODER_KEY=s3cret-coder-key", "OTHER_KEY=no")
	c.ownAgent("mine", "    command: [coder, new, \"{session}\"]\n    resume: [coder, again, \"{session}\"]\n    prompt: stdin\n    output: jsonl\n    env: [CODER_KEY]\n")
	jobs := []job{{id: "1", subject: "Begin in two turns", run: "echo begin >list; echo $CODER_KEY${OTHER_KEY} >key"}}
	for i := 2; i <= 7; i++ {
		subject := fmt.Sprintf("Add %d", i)
		if i%2 == 0 {
			subject += " in two turns"
		}
		if i == 5 {
			subject += ", which fails once"
		}
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: subject, run: fmt.Sprintf("sleep 0.5; echo %d >>list", i), after: []string{"1"}})
	}
	jobs = append(jobs, job{id: "8", subject: "End", run: "echo end >>list", after: []string{"2", "3", "4", "5", "6", "7"}})
	d := c.sail(c.plan("own", "", "#!/bin/bash\nset -eux\ncd ~/voyage/workspace\ntest \"$(wc -l <list)\" = 8\ntest \"$(cat key)\" = s3cret-coder-key\n", jobs), "-n", "3", "--agent", "mine")
	board := c.until(d, "over", func(b fleet.Board) bool { return b.Phase.IsOver() })
	checkVoyage(t, c, d, board, jobs)

	events, err := os.ReadFile(d.Events())
	if talker := board.Ships[2]; err != nil || talker.Completed > 0 || !strings.Contains(string(events), "was told of ready tasks 3 times and has claimed none") {
		t.Errorf("the talker is %+v", talker.Status)
	}
	for i := range 2 {
		name := board.Ships[i].Name
		c.until(d, name+" is done", func(b fleet.Board) bool { return b.Ships[i].Status.Word == fleet.Done })
	}
	var said, failed, resumed, talked int
	for _, s := range board.Ships {
		for _, l := range c.logLines(d, s.Name) {
			switch {
			case l.Kind == "say" && l.Text == "again turn":
				said++
			case l.Kind == "out" && strings.Contains(l.Text, "I would rather"), strings.Contains(l.Text, "s3cret-coder-key"):
				t.Errorf("a line of %s is %q", s.Name, l.Text)
			case l.Kind == "say" && l.Text == "I would rather talk.":
				talked++
			case l.Kind == proto.KindAgentExited && strings.Contains(string(l.Data), "out of memory"):
				failed++
			case l.Kind == proto.KindAgentStarted && strings.Contains(string(l.Data), `"resumed":true`):
				resumed++
			}
		}
	}
	if said == 0 || failed == 0 || resumed == 0 || talked < 3 || talked > 4 {
		t.Errorf("%d resumed turns spoke, %d failed turns, %d resumed, %d turns of talk", said, failed, resumed, talked)
	}
}
