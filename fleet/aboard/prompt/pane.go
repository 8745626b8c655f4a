package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/retry"
)

// pane is the tmux pane that the agent runs in.
type pane struct{ shipdir.Running }

// NotNowError says why a message cannot be typed at the moment. Nothing of the message was typed.
type NotNowError struct{ why string }

func (e *NotNowError) Error() string { return e.why }

// NotNow returns a *NotNowError.
func NotNow(format string, args ...any) error { return &NotNowError{fmt.Sprintf(format, args...)} }

// typePlainly types to a program whose handling of input is unknown.
func (r pane) typePlainly(ctx context.Context, text string) error {
	if err := r.Paste(ctx, strings.TrimSpace(text)); err != nil {
		return err
	}
	if err := retry.Sleep(ctx, 300*time.Millisecond); err != nil { // an Enter right after the paste would be a part of it
		return err
	}
	return r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, "Enter")
}

// emptyInput makes the input line empty. It closes a menu in its place if that decides nothing. It stashes a draft of
// the captain, which comes back after the message.
func (r pane) emptyInput(ctx context.Context, box *agent.Box, screen agent.Screen) error {
	if key := box.Dismiss(screen); key != "" {
		if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, key); err != nil {
			return NotNow("%v", err)
		}
		r.await(ctx, 5*time.Second, func(s agent.Screen) bool { screen = s; return box.Read(s) == agent.EmptyInput })
	}
	if why := Question(ansi.Strip(strings.Join(screen.Lines, "\n"))); why != "" {
		return NotNow("it %s", why)
	}
	switch box.Read(screen) {
	case agent.EmptyInput:
		return nil
	case agent.OtherInput:
		return NotNow("a command is being typed in its prompt")
	case agent.NoInput:
		return NotNow("its screen shows something other than its prompt")
	}
	if box.Stashed(screen) {
		return NotNow("its prompt holds a draft, and another one is put aside: send or clear one")
	}
	if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, box.Stash); err != nil {
		return NotNow("%v", err)
	}
	if !r.await(ctx, 2*time.Second, func(s agent.Screen) bool { return box.Read(s) == agent.EmptyInput }) {
		return NotNow("somebody is typing in its prompt")
	}
	return nil
}

// await waits until the screen satisfies ok, and reports whether it did in time.
func (r pane) await(ctx context.Context, most time.Duration, ok func(agent.Screen) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for pauses := retry.Doubling(5*time.Millisecond, 200*time.Millisecond); ; {
		if s, err := r.screen(ctx); err == nil && ok(s) {
			return true
		}
		if retry.Sleep(ctx, pauses.NextBackOff()) != nil {
			return false
		}
	}
}

// screen captures the pane.
func (r pane) screen(ctx context.Context) (agent.Screen, error) {
	var s agent.Screen
	out, err := r.TmuxOutput(ctx, nil, "display-message", "-p", "-t", r.Pane, "#{cursor_x} #{cursor_y} #{pane_in_mode}",
		";", "capture-pane", "-p", "-e", "-t", r.Pane)
	if err != nil {
		return s, err
	}
	place, rest, _ := strings.Cut(out, "\n")
	scrolled := 0
	if _, err := fmt.Sscan(place, &s.X, &s.Y, &scrolled); err != nil {
		return s, fmt.Errorf("tmux tells no cursor: %w", err)
	}
	if scrolled != 0 { // in copy mode, keys would scroll
		return s, errors.New("it is scrolled back")
	}
	s.Lines = strings.Split(rest, "\n")
	return s, nil
}

// listener returns the pane of an agent that can be typed to, or an error that says why there is none.
func (t *Typist) listener() (pane, error) {
	var r pane
	if err := shipdir.ReadJSON(t.home.Run(), &r); err != nil || !r.Agent.Alive() || r.Pane == "" {
		return pane{}, errors.New("no agent is running that could be told")
	}
	if !r.Hears {
		return pane{}, fmt.Errorf("the %s agent does not take messages", t.agent.Name)
	}
	return r, nil
}
