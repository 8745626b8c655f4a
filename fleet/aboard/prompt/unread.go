package prompt

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/retry"
)

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
