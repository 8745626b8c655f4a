package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// outputDelay is how long to go on reading output of processes that an agent has left behind.
const outputDelay = 2 * time.Second

// takeTurn starts the agent for one turn, and shows and logs what it prints. It returns how the agent ended and,
// after a failure, its last words.
func (t *turns) takeTurn(ctx context.Context, v proto.Verdict) (proto.AgentExited, string) {
	known, _ := shipdir.LoadLost(t.home)
	set := t.setup()
	what, text, err := t.prompt(v, !set.Resume)
	if errors.Is(err, errNoMail) {
		_ = retry.Sleep(ctx, time.Second) // the message is on its way
		return proto.AgentExited{}, ""
	}
	if err != nil {
		return t.giveUp(err), ""
	}
	t.count = t.meter.turn() + 1
	t.logLine("prompt", what)
	set.First = text
	if err := t.agent.Prepare(set); err != nil {
		return t.giveUp(err), ""
	}
	c := t.agent.Command(set)
	cmd, err := t.command(c)
	if err != nil {
		return t.giveUp(err), ""
	}
	out := newOutput(t.book, os.Stdout, t.agent.Read, t.count)
	out.next = t.meter.countTurn
	out.used = func(e agentlog.Event) { t.meter.addEvent(cmp.Or(out.session, set.Session), e) }
	stderr := out.stderr()
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = nil, out, stderr, outputDelay
	if c.Stdin != "" {
		cmd.Stdin = strings.NewReader(c.Stdin)
	}
	t.book.Add(proto.KindAgentStarted, proto.AgentStarted{Agent: t.agent.Name, Session: set.Session, Resumed: set.Resume, Start: t.count})
	out.mu.Lock() // so that the state is reported before any output
	if err := t.tty.startProcess(cmd); err != nil {
		out.mu.Unlock()
		return t.giveUp(fmt.Errorf("the agent could not be started: %w", err)), ""
	}
	defer t.tty.takeBack()
	t.announce(ctx, shipdir.Identify(cmd.Process.Pid))
	// Serve stops the announced agent when it notices that the task is lost. An agent that has begun since is stopped
	// here.
	if now, lost := shipdir.LoadLost(t.home); lost && (v.Act != proto.ActListen || now.Claim != known.Claim) {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if v.Act == proto.ActListen {
		t.delivered()
	}
	t.reportState(ctx, proto.AgentState{State: proto.StateWorking, Session: set.Session}) // without the task, as with it the state would claim that the service answers
	out.mu.Unlock()
	end := t.waitForEnd(ctx, cmd)
	t.announce(ctx, shipdir.Process{})
	stderr.flush()
	out.flush()
	failed, last := out.result()
	t.said = out.lastWords()
	if failed != "" && end.Code == 0 && end.Signal == "" {
		end.Code = 1
	}
	if end.Code == 0 && end.Signal == "" && t.meter.turn() < t.count {
		t.meter.countTurn() // the agent does not report its answers
	}
	session := set.Session
	if out.session != "" {
		session = out.session
	}
	if failed == "" {
		failed = last
	}
	_, lost := shipdir.LoadLost(t.home)
	bad := !lost && !t.isInterrupted() && (end.Code != 0 || end.Signal != "") && ctx.Err() == nil && !agentlog.Limited(failed)
	t.keepSession(session, bad && (set.Resume || out.session == ""))
	t.meter.publish()
	return end, failed
}

// keepSession records the session for the next turn. With giveUp it forgets the session, which failed when it was
// resumed or before it had an id: the next turn begins a new session and gets the full prompt.
func (t *turns) keepSession(session string, giveUp bool) {
	if giveUp {
		_ = os.Remove(t.home.Session())
		return
	}
	_ = shipdir.WriteFile(t.home.Session(), session+"\n")
}
