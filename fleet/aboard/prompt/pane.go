package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/retry"
)

// pane is the tmux pane that the agent runs in.
type pane struct{ shipdir.Running }

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

// queuedHints are texts that Claude Code shows while messages wait for the end of the turn: one in an empty input
// line, and one below the message, which is shown even if the line holds a draft.
var queuedHints = []string{"edit queued messages", "⎿  Queued · "}

// Unread reports whether a message that arrived during the turn still waits for the turn to end. A hook that waits
// for work would delay that end. Unread looks twice, as the screen may lag behind.
func (t *Typist) Unread(ctx context.Context) bool {
	if t.agent.Box == nil {
		return false
	}
	for _, pause := range []time.Duration{0, 500 * time.Millisecond} {
		if retry.Sleep(ctx, pause) != nil {
			return false
		}
		var r pane
		if shipdir.ReadJSON(t.home.Run(), &r) != nil || r.Pane == "" {
			return false
		}
		screen, err := r.screen(ctx)
		if err != nil {
			continue
		}
		shown := ansi.Strip(strings.Join(screen.Lines, "\n"))
		if slices.ContainsFunc(queuedHints, func(hint string) bool { return strings.Contains(shown, hint) }) {
			return true
		}
	}
	return false
}

// Written reports whether a person has typed something into the agent's prompt that would be lost with the agent's
// process.
func (t *Typist) Written(ctx context.Context) bool {
	r, err := t.listener()
	if err != nil || t.agent.Box == nil {
		return false
	}
	screen, err := r.screen(ctx)
	return err == nil && (t.agent.Box.Read(screen) != agent.EmptyInput || t.agent.Box.Stashed(screen))
}
