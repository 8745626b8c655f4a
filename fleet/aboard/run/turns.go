package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// maxBarren is how many turns without progress an agent may take on the same work. Helm allows as many, so that
// neither waits for the other.
const maxBarren = 3

// limitPauses are the pauses before a turn is repeated that a usage limit has ended; the last one applies from then
// on.
var limitPauses = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute}

// turns runs an agent whose program is started once for each turn.
type turns struct {
	*runner
	count  int // how many turns were taken
	barren int // how many in a row ended well without progress
	failed int // how many in a row failed
	limits int // how many in a row met a usage limit
	meter  *meter
	last   proto.WaitRequest // how the last turn ended
	said   string            // the agent's last words in the last turn
	letter mailbox.Message   // the captain's message that is the prompt of this turn
	posted string            // the id of the last message that began a turn
}

// takeTurns repeatedly asks helm what to do and starts the agent to do it, until there is nothing left to do, the
// agent has failed too often, or it is stopped.
func (r *runner) takeTurns(ctx context.Context) proto.AgentExited {
	t := &turns{runner: r, meter: newMeter(r.home, r.book, r.ship.Model, r.ship.Agent)}
	r.announce(ctx, shipdir.Process{}) // the first turn may begin much later
	sleep := r.startAwake(ctx)
	end := t.takeAll(ctx)
	sleep()
	end.Final = ctx.Err() == nil
	switch {
	case ctx.Err() != nil:
		end.Reason = "the runner was ended"
	case r.stopped():
		end.Reason = "it was stopped"
	}
	r.book.Add(proto.KindAgentExited, end)
	return end
}

// takeAll takes one turn after another and returns how the last one ended.
func (t *turns) takeAll(ctx context.Context) proto.AgentExited {
	if t.broken != nil {
		return t.giveUp(t.broken)
	}
	if err := t.usable(ctx, 1); err != nil {
		return t.giveUp(err)
	}
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-t.stop:
			cancel()
		case <-wait.Done():
		}
	}()
	for wait.Err() == nil {
		if t.isInterrupted() {
			t.awaitMessage(wait)
		}
		t.awaitAllowance(wait)
		v, err := t.nextVerdict(wait)
		switch {
		case err != nil && wait.Err() == nil:
			return t.giveUp(err)
		case err != nil:
			return proto.AgentExited{}
		case v.Act == proto.ActRest:
			t.reportState(ctx, proto.AgentState{State: proto.StateResting, Why: v.Why})
			return proto.AgentExited{Reason: "it is done"}
		}
		if end := t.workOn(wait, ctx, v); end.Final {
			return end
		}
	}
	return proto.AgentExited{}
}

// nextVerdict waits for something to do. Meanwhile the agent counts as idle.
func (t *turns) nextVerdict(ctx context.Context) (proto.Verdict, error) {
	if _, ok := shipdir.NextMail(t.home); ok {
		return proto.Verdict{Act: proto.ActListen}, nil
	}
	return shipdir.WaitForWork(ctx, t.home, t.last, func() { t.reportState(ctx, proto.AgentState{State: proto.StateIdle}) })
}

// workOn makes the agent do what a verdict asks for, and repeats a turn that fails. wait ends when the agent has to
// end, ctx when the runner has to.
func (t *turns) workOn(wait, ctx context.Context, v proto.Verdict) proto.AgentExited {
	t.letter = mailbox.Message{}
	for wait.Err() == nil {
		before := shipdir.Progress(t.home)
		t.last = proto.WaitRequest{}
		end, words := t.takeTurn(ctx, v)
		if _, lost := shipdir.LoadLost(t.home); lost && !end.Final && wait.Err() == nil {
			shipdir.ForgetLost(t.home)
			t.failed, t.barren = 0, 0
			return proto.AgentExited{} // a message in the next turn tells the agent
		}
		if t.isInterrupted() {
			t.failed, t.barren = 0, 0
			return proto.AgentExited{}
		}
		switch moved := shipdir.Progress(t.home) > before; {
		case end.Final || wait.Err() != nil:
			return end
		case end.Code == 0 && end.Signal == "":
			if t.limits > 0 {
				t.reportState(ctx, proto.AgentState{State: proto.StateIdle}) // idle, and not working: its service has answered
			}
			t.failed, t.limits = 0, 0
			t.last = proto.WaitRequest{Ended: true, Said: shipdir.Cut(t.said, 8<<10)}
			if t.barren++; moved {
				t.barren = 0
			}
			if v.Act == proto.ActListen {
				t.barren = 0 // a message need not be about a task
			}
			if t.barren > maxBarren {
				return t.giveUp(fmt.Errorf("%d turns in a row claimed and completed nothing: it is left alone", t.barren))
			}
			return end
		case moved:
			t.failed, t.limits = 0, 0
		}
		t.pauseAfter(wait, &end, words)
		if end.Final {
			return end
		}
	}
	return proto.AgentExited{}
}

// pauseAfter decides what follows a turn that failed, and waits before the next turn.
func (t *turns) pauseAfter(ctx context.Context, end *proto.AgentExited, words string) {
	why := end.HowText()
	if words != "" {
		why += ": " + words
	}
	switch {
	case agentlog.NeedsKey(words) && t.failed > 0: // only the second time, since what it works on may contain such words too
		*end = t.giveUp(fmt.Errorf("%s has no key that is accepted (%s): set %s on the hub and sail again", t.agent.Name, why, t.keyName()))
		return
	case agentlog.Limited(words):
		end.Next = limitPauses[min(t.limits, len(limitPauses)-1)]
		t.limits++
		trouble := agentlog.LimitTrouble(words, time.Now())
		if reset := time.Until(trouble.Until) + time.Minute; !trouble.Until.IsZero() && reset > end.Next { // the reset time comes without seconds
			end.Next = reset.Round(time.Second)
		}
		t.reportState(ctx, proto.AgentState{State: proto.StateLimited, Why: t.book.Clean(trouble.Why, 500), Trouble: string(trouble.Kind), Until: trouble.Until})
		t.logLine("error", fmt.Sprintf("a limit ended the turn; the next begins in %s", end.Next))
	case t.failed == len(t.rhythm.pauses):
		*end = t.giveUp(fmt.Errorf("its turns failed %d times in a row, at last with %s", t.failed+1, why))
		return
	default:
		end.Next = t.rhythm.pauses[t.failed]
		t.failed++
		end.Reason = words
		t.book.Add(proto.KindAgentExited, *end)
		t.logLine("error", fmt.Sprintf("the turn ended with %s; the next begins in %s", why, end.Next))
	}
	_ = retry.Sleep(ctx, end.Next)
}

// keyName returns the environment variable that would let the agent log in.
func (t *turns) keyName() string {
	for _, names := range [][]string{t.agent.Keys, t.agent.Pass} {
		if len(names) > 0 {
			return names[0]
		}
	}
	return "its key"
}

// reportState reports the agent's state, and shows it in the window's name.
func (t *turns) reportState(ctx context.Context, s proto.AgentState) {
	t.book.State(s)
	shipdir.NameWindow(ctx, t.home, s.State)
}

// logLine writes a line to the log and the terminal.
func (t *turns) logLine(kind, text string) {
	t.book.Add(proto.KindLog, proto.Log{Text: t.book.Clean(text, 4<<10), Kind: kind, Turn: t.count})
	fmt.Fprintln(os.Stdout, "ocaptain: "+clean.Text(text))
}

// errNoMail means that a turn cannot begin because the message that it was to begin with is gone.
var errNoMail = errors.New("there is no message")
