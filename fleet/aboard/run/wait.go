package run

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// waitForEnd waits until the agent has ended, and ends it when it has to. It kills the rest of its process group.
func (r *runner) waitForEnd(ctx context.Context, cmd *exec.Cmd) proto.AgentExited {
	pid := cmd.Process.Pid
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	stop := r.stop
	var late <-chan time.Time
	for {
		select {
		case err := <-exited:
			_ = syscall.Kill(-pid, syscall.SIGKILL) // processes that the agent left behind
			return shipdir.HowEnded(err)
		case <-r.child:
			// An agent may have stopped itself, as with ctrl-z. Only a shell could continue it, and there is none.
			if _, state := shipdir.Inspect(pid); state == 'T' {
				_ = syscall.Kill(-pid, syscall.SIGCONT)
			}
		case <-stop:
			stop = nil
			_ = syscall.Kill(pid, syscall.SIGTERM)
			late = time.After(r.rhythm.grace)
		case <-late:
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		case <-ctx.Done():
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			return shipdir.HowEnded(<-exited)
		}
	}
}

// announce records for the ship's other programs where the runner and the agent are.
func (r *runner) announce(ctx context.Context, agent shipdir.Process) {
	at := shipdir.Running{Runner: shipdir.Self(), Agent: agent, Hears: r.agent.Talks}
	at.Socket, _, _ = strings.Cut(os.Getenv("TMUX"), ",")
	at.Pane = os.Getenv("TMUX_PANE")
	if at.Socket != "" && at.Pane != "" {
		id, err := at.TmuxOutput(ctx, nil, "display-message", "-p", "-t", at.Pane, "#{window_id}", ";",
			// The window's name shows the agent's state, so programs must not change it.
			"set-option", "-w", "-t", at.Pane, "automatic-rename", "off", ";", "set-option", "-w", "-t", at.Pane, "allow-rename", "off")
		if err == nil {
			at.Window = strings.TrimSpace(id)
		}
	}
	if err := shipdir.WriteJSON(r.home.Run(), at); err != nil {
		r.book.Log("error", "the state of the runner could not be written: "+err.Error(), "")
	}
}
