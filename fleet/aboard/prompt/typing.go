// Package prompt types messages into the terminal of an agent, checks that they have arrived, and reads the agent's screen.
package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// Typist types into the agent's terminal, and gets the hooks' reports of prompts.
type Typist struct {
	home  shipdir.Dir
	agent agent.Agent
	book  *shipdir.Journal

	mu        sync.Mutex
	listeners map[chan shipdir.Heard]string // the channels of Type, with the sum of the message that each waits for
}

// New returns a Typist for a ship's agent.
func New(h shipdir.Dir, a agent.Agent, book *shipdir.Journal) *Typist {
	return &Typist{home: h, agent: a, book: book, listeners: map[chan shipdir.Heard]string{}}
}

// How long the typist waits.
const (
	shows   = 10 * time.Second        // for a paste to show in the input line
	submits = 1500 * time.Millisecond // for a report after Enter, before it presses Enter again
	settles = 30 * time.Second        // for a message in all
)

// Ending says how the typing of a message ended.
type Ending struct {
	State   proto.MailState
	Altered bool // the input line changed the text
}

// showTime returns how long the text may take to show after a crash. A text that was certainly pasted gets longer, so
// that a slow machine does not cause a second paste.
func showTime(a shipdir.Attempt) time.Duration {
	if a.Pasted {
		return shows
	}
	return 2 * time.Second
}

// ForgetAttempt removes the record of a typing attempt: the box has forgotten the message, or it is never typed
// again.
func (t *Typist) ForgetAttempt() error {
	err := os.Remove(t.home.Attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Type types a message into the agent's pane and returns when the agent's hook has reported it. No character of the
// message can act as a key, since the text travels by tmux's buffer. After a crash, Type finishes a message that was
// begun, and never types a message again that the agent has got. It types one message at a time.
func (t *Typist) Type(ctx context.Context, m mailbox.Message) (Ending, error) {
	ctx, cancel := context.WithTimeout(ctx, settles+shows)
	defer cancel()
	var was shipdir.Attempt
	again := shipdir.ReadJSON(t.home.Attempt(), &was) == nil && was.ID == m.ID
	if again {
		if h, ok := t.heardSince(was.From, was.Sum); ok {
			return Ending{proto.MailSubmitted, h.Altered}, nil
		}
	}
	r, err := t.listener()
	if err != nil {
		return Ending{}, NotNow("%s", err)
	}
	box := t.agent.Box
	if box == nil {
		return Ending{State: proto.MailTyped}, r.typePlainly(ctx, m.Text)
	}
	again = again && was.Agent == r.Agent // otherwise the input line is a different one
	now := shipdir.Attempt{ID: m.ID, Sum: box.Gist(m.Text), Text: m.Text, Agent: r.Agent}
	text := m.Text
	if !m.Command {
		text = box.Paste(text)
	}
	// A command may look different from its text, but nothing else may be in the input line.
	holds := func(s agent.Screen) bool { in := box.Read(s); return in == agent.DraftInput || in == agent.OtherInput }
	if !m.Command {
		holds = func(s agent.Screen) bool { return box.Holds(s, text) }
	}
	got := t.listen(now.Sum)
	defer t.forget(got)
	if again && (!was.Enter.IsZero() || r.await(ctx, showTime(was), holds)) { // the text was pasted
		now.From, now.Pasted, now.Enter = was.From, true, was.Enter
		return t.submit(ctx, r, m, now, holds, got)
	}
	screen, err := r.screen(ctx)
	if err != nil {
		return Ending{}, NotNow("its terminal takes no message: %v", err)
	}
	if err := r.emptyInput(ctx, box, screen); err != nil {
		return Ending{}, err
	}
	if _, now.From, err = t.book.Identity(); err != nil {
		return Ending{}, NotNow("%v", err)
	}
	if err := shipdir.WriteJSON(t.home.Attempt(), now); err != nil {
		return Ending{}, NotNow("%v", err)
	}
	if err := r.Paste(ctx, text); err != nil {
		return Ending{}, err
	}
	now.Pasted = true
	if err := shipdir.WriteJSON(t.home.Attempt(), now); err != nil {
		return Ending{}, err
	}
	if !r.await(ctx, shows, holds) {
		return Ending{}, errors.New("it was pasted, and its prompt does not show it alone: attach and clear the prompt")
	}
	return t.submit(ctx, r, m, now, holds, got)
}

// submit presses Enter until the agent's hook has reported the message. A busy program may have ignored Enter. submit
// does not press it on an empty line.
func (t *Typist) submit(ctx context.Context, r pane, m mailbox.Message, a shipdir.Attempt, holds func(agent.Screen) bool, got <-chan shipdir.Heard) (end Ending, err error) {
	box, patience, stashed := t.agent.Box, settles, false
	// After a command, the captain's draft comes back and would look like the command.
	taken := func(s agent.Screen) bool { return !holds(s) || m.Command && stashed && !box.Stashed(s) }
	defer func() {
		// The input line is emptied and the captain's draft comes back only after a while. Wait, so that neither mixes with
		// the next message.
		if err == nil {
			r.await(ctx, 3*time.Second, func(s agent.Screen) bool {
				return taken(s) && (!stashed || !box.Stashed(s) && box.Read(s) != agent.EmptyInput)
			})
		}
	}()
	if m.Command {
		patience = 2 * submits // most commands are no prompts, so no hook reports them
	}
	for began := time.Now(); ; {
		if h, ok := t.heardSince(a.From, a.Sum); ok {
			return Ending{proto.MailSubmitted, h.Altered}, nil
		}
		screen, err := r.screen(ctx)
		if err != nil {
			return Ending{}, err
		}
		stashed = stashed || box.Stashed(screen)
		full := !taken(screen)
		late := time.Since(began) > patience || !full && !a.Enter.IsZero() && time.Since(a.Enter) > patience
		switch {
		case full && !late:
			if a.Enter.IsZero() {
				a.Enter = time.Now()
				if err := shipdir.WriteJSON(t.home.Attempt(), a); err != nil {
					return Ending{}, err
				}
			}
			if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, "Enter"); err != nil {
				return Ending{}, err
			}
		case late && full:
			return Ending{}, errors.New("it is typed, and Enter does not submit it: attach to see")
		case late:
			// The line took the text, but no hook reported it, as happens with a command: it must not be typed again.
			return Ending{State: proto.MailTyped}, nil
		}
		select {
		case h := <-got:
			return Ending{proto.MailSubmitted, h.Altered}, nil
		case <-time.After(submits):
		case <-ctx.Done():
			return Ending{}, ctx.Err()
		}
	}
}

// heardSince looks in the journal, from an offset on, for a prompt with this sum.
func (t *Typist) heardSince(from int64, sum string) (shipdir.Heard, bool) {
	var found shipdir.Heard
	_, err := journal.Read(t.home.Journal(), from, func(r journal.Record) error {
		var l proto.Log
		if r.Kind == proto.KindLog && json.Unmarshal(r.Data, &l) == nil && l.Kind == "prompt" && l.Sum == sum {
			found = shipdir.Heard{Sum: l.Sum, Altered: l.Altered}
		}
		return nil
	})
	return found, err == nil && found.Sum != ""
}
