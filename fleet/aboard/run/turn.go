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

// outputDelay is how long output is read that comes from what an agent has left behind.
const outputDelay = 2 * time.Second

// takeTurn starts the agent for one turn, shows and logs what it prints, and returns how it
// ended, with its last words when it failed.
func (t *turns) takeTurn(ctx context.Context, v proto.Verdict) (proto.AgentExited, string) {
	known, _ := shipdir.LoadLost(t.home)
	set := t.setup()
	what, text, err := t.prompt(v, !set.Resume)
	if errors.Is(err, errNoMail) {
		_ = retry.Sleep(ctx, time.Second) // it is on its way
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
	out.mu.Lock() // that it works is told before anything that it says
	if err := t.tty.startProcess(cmd); err != nil {
		out.mu.Unlock()
		return t.giveUp(fmt.Errorf("the agent could not be started: %w", err)), ""
	}
	defer t.tty.takeBack()
	t.announce(ctx, shipdir.Identify(cmd.Process.Pid))
	// Serve stops the announced agent when it notices a loss. An agent that begins meanwhile is
	// stopped here.
	if now, lost := shipdir.LoadLost(t.home); lost && (v.Act != proto.ActListen || now.Claim != known.Claim) {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if v.Act == proto.ActListen {
		t.delivered()
	}
	t.reportState(ctx, proto.AgentState{State: proto.StateWorking, Session: set.Session}) // a task in it would say that the service works
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
		t.meter.countTurn() // it does not tell of its answers
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

// keepSession remembers the session for the next turn. It gives up a session that failed when it
// was resumed, or before it was named: the next turn begins a new session and gets the full prompt.
func (t *turns) keepSession(session string, giveUp bool) {
	if giveUp {
		_ = os.Remove(t.home.Session())
		return
	}
	_ = shipdir.WriteFile(t.home.Session(), session+"\n")
}
