// Package script is the script agent, which has no model: it runs the command in each task.
package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// Run runs the script agent: it claims the best task, runs the task's command, completes the task, and so on until
// nothing is left to do. It shows what commands print on out and in the ship's log.
func Run(ctx context.Context, dir string, out io.Writer) error {
	ship, err := shipdir.LoadShip(dir)
	if err != nil {
		return err
	}
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		return err
	}
	defer book.Close()
	s := &worker{home: shipdir.Dir(dir), ship: ship, book: book, out: out, conflicts: map[string]int{}}
	s.home.EndCommand()
	return s.workAll(ctx)
}

// worker is the state of Run.
type worker struct {
	home      shipdir.Dir
	ship      proto.Ship
	book      *shipdir.Journal
	out       io.Writer
	conflicts map[string]int // how many conflicts each task had, by id
	failures  int            // how many failures in a row
}

// maxConflicts is how often a task is repeated after a conflict. With each conflict another ship's work was merged,
// so conflicts end by themselves.
const maxConflicts = 50

// workAll asks helm what to do and does it, until nothing is left to do.
func (s *worker) workAll(ctx context.Context) error {
	for {
		v, err := shipdir.WaitForWork(ctx, s.home, proto.WaitRequest{}, func() { s.reportState(ctx, proto.AgentState{State: proto.StateIdle}) })
		if err != nil {
			return err
		}
		switch v.Act {
		case proto.ActRest:
			s.reportState(ctx, proto.AgentState{State: proto.StateResting, Why: v.Why})
			s.logLine("note", "nothing is left to do", "")
			return nil
		case proto.ActListen: // messages are for agents with a model
			if err := retry.Sleep(ctx, time.Second); err != nil {
				return err
			}
		default:
			if err := s.claimAndDo(ctx, v.Held); err != nil {
				return err
			}
		}
	}
}

// claimAndDo claims a task, the best one when id is "", and does it. It returns only the error of ctx, and reports
// all other errors to helm.
func (s *worker) claimAndDo(ctx context.Context, id string) error {
	var g proto.Grant
	if err := shipdir.Ask(ctx, s.home, proto.MethodClaim, proto.ClaimRequest{Task: id}, &g); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return retry.Sleep(ctx, 100*time.Millisecond) // another ship was quicker
	}
	t := g.Task
	s.reportState(ctx, proto.AgentState{State: proto.StateWorking, Task: t.ID, Tool: "sh"})
	s.logLine("note", "claimed task "+t.ID+": "+t.Subject, t.ID)
	for _, note := range g.Notes {
		s.logLine("note", note, t.ID)
	}
	err := s.doTask(ctx, g)
	if ctx.Err() != nil {
		return ctx.Err() // the ship keeps the claim, and the next run continues the task
	}
	if s.claimLost(g) {
		return nil
	}
	var refused *wire.Error
	switch {
	case err == nil:
		s.failures = 0
		return nil
	case errors.As(err, &refused) && refused.Code == proto.CodeConflict && s.conflicts[t.ID] < maxConflicts:
		// For this agent, resolving a conflict means to run the command again on the newest state.
		s.conflicts[t.ID]++
		s.logLine("error", fmt.Sprintf("task %s is run again: %v", t.ID, agentlog.FirstLine(err.Error())), t.ID)
		return s.giveBack(ctx, proto.ReleaseRequest{Claim: claimOf(g)})
	}
	s.failures++
	s.logLine("error", fmt.Sprintf("task %s failed: %v", t.ID, err), t.ID)
	if err := s.giveBack(ctx, proto.ReleaseRequest{Claim: claimOf(g), Reason: shipdir.Cut(err.Error(), 4<<10)}); err != nil {
		return err
	}
	wait := min(time.Second<<min(s.failures-1, 5), 30*time.Second)
	why, _, _ := strings.Cut(err.Error(), ":\n") // without the output of the command
	s.reportState(ctx, proto.AgentState{State: proto.StateFailed, Why: fmt.Sprintf("task %s failed: %s; it takes another in %s", t.ID, agentlog.FirstLine(why), wait)})
	return retry.Sleep(ctx, wait)
}

// doTask runs the task's command and asks helm to merge the result.
func (s *worker) doTask(ctx context.Context, g proto.Grant) error {
	t := g.Task
	if g.Review {
		return s.review(ctx, g)
	}
	if t.Run() == "" {
		return errors.New("it has no command: the script agent needs metadata.run")
	}
	if err := s.runCommand(ctx, g, t.Run()); err != nil {
		return err
	}
	var c proto.Completed
	if err := shipdir.Ask(ctx, s.home, proto.MethodComplete, proto.CompleteRequest{Claim: claimOf(g)}, &c); err != nil {
		return err
	}
	if !c.Open || c.Review {
		s.logLine("note", shipdir.CompletedText(t.ID, c), t.ID)
	}
	return nil
}

// review approves work if the task's command for reviews succeeds or there is none, and rejects it otherwise. If that
// command has already answered helm itself, helm ignores this answer.
func (s *worker) review(ctx context.Context, g proto.Grant) error {
	why, approve := "its command for reviews has succeeded", true
	if command := g.Task.Review(); command == "" {
		why = "it has no command for reviews"
	} else if err := s.runCommand(ctx, g, command); err != nil {
		why, approve = err.Error(), false
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := proto.ReviewRequest{Claim: claimOf(g), Review: tasks.ReviewJSON(approve, shipdir.Cut(why, 4<<10))}
	if err := shipdir.Ask(ctx, s.home, proto.MethodReview, r, nil); err != nil {
		return err
	}
	s.logLine("note", shipdir.ReviewedText(r), g.Task.ID)
	return nil
}

// claimOf returns the claim of a grant.
func claimOf(g proto.Grant) proto.Claim { return proto.Claim{Task: g.Task.ID, Epoch: g.Epoch} }

// claimLost reports whether the ship has lost the claim of a grant.
func (s *worker) claimLost(g proto.Grant) bool {
	l, ok := shipdir.LoadLost(s.home)
	return ok && l.Claim == claimOf(g)
}

// giveBack releases a task. It is no error if helm says that the task is another ship's.
func (s *worker) giveBack(ctx context.Context, r proto.ReleaseRequest) error {
	err := shipdir.Ask(ctx, s.home, proto.MethodRelease, r, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.logLine("error", "task "+r.Task+" could not be given back: "+err.Error(), r.Task)
	}
	return nil
}

func (s *worker) reportState(ctx context.Context, st proto.AgentState) {
	s.book.State(st)
	shipdir.NameWindow(ctx, s.home, st.State)
}

// logLine writes a line to the log and the screen.
func (s *worker) logLine(kind, text, task string) {
	s.book.Log(kind, text, task)
	fmt.Fprintln(s.out, "ocaptain: "+text)
}
