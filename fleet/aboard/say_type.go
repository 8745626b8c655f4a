package aboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/journal"
)

// The patience of the typist.
const (
	shows   = 10 * time.Second        // for a paste to show in the input line
	submits = 1500 * time.Millisecond // for Enter to be reported, before it is pressed again
	settles = 30 * time.Second        // for all of it
)

// ending is how the typing of a message ended.
type ending struct {
	state   proto.MailState
	altered bool // the input line changed the text
}

// errNotNow says why a message cannot be typed at present. Nothing of it was typed.
type errNotNow struct{ why string }

func (e *errNotNow) Error() string { return e.why }

func notNow(format string, args ...any) error { return &errNotNow{fmt.Sprintf(format, args...)} }

// showTime is how long the text may take to show after a crash. One that was surely
// pasted must not be pasted again because the machine is slow.
func showTime(a shipdir.Attempt) time.Duration {
	if a.Pasted {
		return shows
	}
	return 2 * time.Second
}

func (s *server) forgetAttempt() error {
	err := os.Remove(s.home.Attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// typeIn types a message into the agent's pane and returns when the agent has told of
// it. The text is data from end to end: it travels by tmux's buffer, and nothing in it
// can act as a key. A message that was begun before a crash is finished, and never
// typed again when it has been heard. The caller holds the typist's turn.
func (s *server) typeIn(ctx context.Context, m mailbox.Message) (ending, error) {
	ctx, cancel := context.WithTimeout(ctx, settles+shows)
	defer cancel()
	var was shipdir.Attempt
	again := shipdir.ReadJSON(s.home.Attempt(), &was) == nil && was.ID == m.ID
	if again {
		if h, ok := s.heardSince(was.From, was.Sum); ok {
			return ending{proto.MailSubmitted, h.Altered}, nil
		}
	}
	r, err := s.listener()
	if err != nil {
		return ending{}, notNow("%s", err)
	}
	box := s.agent.Box
	if box == nil {
		return ending{state: proto.MailTyped}, r.typePlainly(ctx, m.Text)
	}
	again = again && was.Agent == r.Agent // else the input line is another one
	now := shipdir.Attempt{ID: m.ID, Sum: box.Gist(m.Text), Text: m.Text, Agent: r.Agent}
	text := m.Text
	if !m.Command {
		text = box.Paste(text)
	}
	// A command may show as something else, and nothing may be in its way.
	holds := func(s agent.Screen) bool { in := box.Read(s); return in == agent.DraftInput || in == agent.OtherInput }
	if !m.Command {
		holds = func(s agent.Screen) bool { return box.Holds(s, text) }
	}
	got := s.ears.listen(now.Sum)
	defer s.ears.forget(got)
	if again && (!was.Enter.IsZero() || r.await(ctx, showTime(was), holds)) { // it was pasted
		now.From, now.Pasted, now.Enter = was.From, true, was.Enter
		return s.submit(ctx, r, m, now, holds, got)
	}
	screen, err := r.screen(ctx)
	if err != nil {
		return ending{}, notNow("its terminal takes no message: %v", err)
	}
	if err := r.clear(ctx, box, screen); err != nil {
		return ending{}, err
	}
	if _, now.From, err = s.book.Identity(); err != nil {
		return ending{}, notNow("%v", err)
	}
	if err := shipdir.WriteJSON(s.home.Attempt(), now); err != nil {
		return ending{}, notNow("%v", err)
	}
	if err := r.Paste(ctx, text); err != nil {
		return ending{}, err
	}
	now.Pasted = true
	if err := shipdir.WriteJSON(s.home.Attempt(), now); err != nil {
		return ending{}, err
	}
	if !r.await(ctx, shows, holds) {
		return ending{}, errors.New("it was pasted, and its prompt does not show it alone: attach and clear the prompt")
	}
	return s.submit(ctx, r, m, now, holds, got)
}

// submit presses Enter until the agent's own hook has told of the message. A program
// that was busy may have swallowed Enter; on an empty line it is not pressed.
func (s *server) submit(ctx context.Context, r pane, m mailbox.Message, a shipdir.Attempt, holds func(agent.Screen) bool, got <-chan shipdir.Heard) (end ending, err error) {
	box, patience, stashed := s.agent.Box, settles, false
	// Where a command was, the draft that comes back after it looks like one.
	taken := func(s agent.Screen) bool { return !holds(s) || m.Command && stashed && !box.Stashed(s) }
	defer func() {
		// The input line is emptied, and a draft comes back, by and by: neither must meet
		// the next message.
		if err == nil {
			r.await(ctx, 3*time.Second, func(s agent.Screen) bool {
				return taken(s) && (!stashed || !box.Stashed(s) && box.Read(s) != agent.EmptyInput)
			})
		}
	}()
	if m.Command {
		patience = 2 * submits // most commands are no prompts, and no hook tells of them
	}
	for began := time.Now(); ; {
		if h, ok := s.heardSince(a.From, a.Sum); ok {
			return ending{proto.MailSubmitted, h.Altered}, nil
		}
		screen, err := r.screen(ctx)
		if err != nil {
			return ending{}, err
		}
		stashed = stashed || box.Stashed(screen)
		full := !taken(screen)
		late := time.Since(began) > patience || !full && !a.Enter.IsZero() && time.Since(a.Enter) > patience
		switch {
		case full && !late:
			if a.Enter.IsZero() {
				a.Enter = time.Now()
				if err := shipdir.WriteJSON(s.home.Attempt(), a); err != nil {
					return ending{}, err
				}
			}
			if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, "Enter"); err != nil {
				return ending{}, err
			}
		case late && full:
			return ending{}, errors.New("it is typed, and Enter does not submit it: attach to see")
		case late:
			// The line took it and nothing tells of it, as with a command: it must not be
			// typed again.
			return ending{state: proto.MailTyped}, nil
		}
		select {
		case h := <-got:
			return ending{proto.MailSubmitted, h.Altered}, nil
		case <-time.After(submits):
		case <-ctx.Done():
			return ending{}, ctx.Err()
		}
	}
}

// heardSince looks in the journal for a prompt with a sum, from an offset on.
func (s *server) heardSince(from int64, sum string) (shipdir.Heard, bool) {
	var found shipdir.Heard
	_, err := journal.Read(s.home.Journal(), from, func(r journal.Record) error {
		var l proto.Log
		if r.Kind == proto.KindLog && json.Unmarshal(r.Data, &l) == nil && l.Kind == "prompt" && l.Sum == sum {
			found = shipdir.Heard{Sum: l.Sum, Altered: l.Altered}
		}
		return nil
	})
	return found, err == nil && found.Sum != ""
}

// pane is the terminal that the agent is in.
type pane struct{ shipdir.Running }

// typePlainly types to a program of whose input nothing is known.
func (r pane) typePlainly(ctx context.Context, text string) error {
	if err := r.Paste(ctx, strings.TrimSpace(text)); err != nil {
		return err
	}
	if err := retry.Sleep(ctx, 300*time.Millisecond); err != nil { // an Enter that comes with the paste is part of it
		return err
	}
	return r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, "Enter")
}

// clear makes the input line empty. A menu in its place is closed if that decides
// nothing. A draft of the captain's is put aside and comes back after the message.
func (r pane) clear(ctx context.Context, box *agent.Box, screen agent.Screen) error {
	if key := box.Dismiss(screen); key != "" {
		if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, key); err != nil {
			return notNow("%v", err)
		}
		r.await(ctx, 5*time.Second, func(s agent.Screen) bool { screen = s; return box.Read(s) == agent.EmptyInput })
	}
	switch box.Read(screen) {
	case agent.EmptyInput:
		return nil
	case agent.OtherInput:
		return notNow("a command is being typed in its prompt")
	case agent.NoInput:
		return notNow("its screen shows something other than its prompt")
	}
	if box.Stashed(screen) {
		return notNow("its prompt holds a draft, and another one is put aside: send or clear one")
	}
	if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, box.Stash); err != nil {
		return notNow("%v", err)
	}
	if !r.await(ctx, 2*time.Second, func(s agent.Screen) bool { return box.Read(s) == agent.EmptyInput }) {
		return notNow("somebody is typing in its prompt")
	}
	return nil
}

// await waits until the screen is as it should be, and reports whether that came about.
func (r pane) await(ctx context.Context, most time.Duration, ok func(agent.Screen) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if s, err := r.screen(ctx); err == nil && ok(s) {
			return true
		}
		if retry.Sleep(ctx, pause) != nil {
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
	if scrolled != 0 { // keys would move about in it
		return s, errors.New("it is scrolled back")
	}
	s.Lines = strings.Split(rest, "\n")
	return s, nil
}
