// Package post stores the captain's messages to the ships of a voyage until they have arrived, sends them to the ships, and knows the state
// of each.
package post

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// maxWait bounds how long a client may wait for a message to be read.
const maxWait = time.Minute

// Post holds the captain's messages to the ships of a voyage until they have arrived. Its methods are safe for concurrent
// use.
type Post struct {
	mu    sync.Mutex
	dir   fleet.Dir
	boxes map[string]*mailbox.Box
	ends  map[string]proto.Mail // the results of the last messages that arrived, by id
	held  map[string]proto.Mail // by ship: why its first message was not read yet
}

// New returns the post of a voyage.
func New(d fleet.Dir) *Post { return &Post{dir: d} }

// Box returns the mailbox with the messages to a ship.
func (p *Post) Box(ship string) (*mailbox.Box, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.boxes[ship]; b != nil {
		return b, nil
	}
	b, err := mailbox.Open(p.dir.MailDir(ship))
	if err != nil {
		return nil, err
	}
	if p.boxes == nil {
		p.boxes = map[string]*mailbox.Box{}
	}
	p.boxes[ship] = b
	return b, nil
}

// Take handles a ship's report about a message. A ship may report anything, so reports about messages that are not
// under way are ignored.
func (p *Post) Take(ship string, m proto.Mail) {
	b, err := p.Box(ship)
	if err != nil || !b.Has(m.ID) {
		return
	}
	m.Why = clean.Bound(m.Why, 500)
	switch m.State {
	case proto.MailSubmitted, proto.MailTyped:
	case proto.MailQueued:
		if m.Why == "" {
			return // the ship has the message; this does not change why an earlier one waits
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held == nil {
			p.held = map[string]proto.Mail{}
		}
		p.held[ship] = m
		return
	default:
		return
	}
	p.mu.Lock()
	if p.ends == nil || len(p.ends) > 1000 {
		p.ends = map[string]proto.Mail{}
	}
	p.ends[m.ID] = m
	delete(p.held, ship)
	p.mu.Unlock()
	_ = b.Remove(m.ID) // if this fails, the ship gets the message again, and reports again
}

// Withdraw takes back a message that has not arrived. If the ship already has the message, it removes it when it
// learns that it has lost the claim.
func (p *Post) Withdraw(ship, id string) {
	if b, err := p.Box(ship); err == nil && b.Has(id) {
		_ = b.Remove(id) // if this fails, the ship removes it
	}
}

// Unread returns how many messages to a ship have not arrived, and what the ship reports about the first of them.
func (p *Post) Unread(ship string) (n int, why string) {
	b, err := p.Box(ship)
	if err != nil {
		return 0, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.Len(), p.held[ship].Why
}

// Send stores a message to a ship's agent, calls kept, and then waits a while for the agent to read it. If the message still waits, arrived is
// false, and said.Queued is the reason that the ship reports, if any.
func (p *Post) Send(ctx context.Context, ship string, in api.SayRequest, kept func()) (said api.Said, arrived bool, err error) {
	if !mailbox.Legible(in.Text) || len(in.Text) > mailbox.MaxText || !utf8.ValidString(in.Text) {
		return said, false, api.Refused("a message is text of 1 to %d bytes with something to read in it", mailbox.MaxText)
	}
	if in.ID == "" {
		in.ID = rand.Text()
	}
	if !mailbox.ValidID(in.ID) {
		return said, false, api.Refused("a message cannot have this id")
	}
	b, err := p.Box(ship)
	if err == nil {
		err = b.Add(mailbox.Message{ID: in.ID, At: time.Now(), Text: in.Text, Command: in.Command})
	}
	if errors.Is(err, mailbox.ErrFull) {
		return said, false, api.Refused("%s: %v", ship, err)
	}
	if err != nil {
		return said, false, err
	}
	kept()
	ctx, cancel := context.WithTimeout(ctx, min(max(in.Wait, 0), maxWait))
	defer cancel()
	for {
		changed := b.Changed()
		if b.WasDone(in.ID) {
			break
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		break
	}
	if !b.WasDone(in.ID) {
		_, why := p.Unread(ship)
		return api.Said{ID: in.ID, Queued: why}, false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m, known := p.ends[in.ID]
	return api.Said{ID: in.ID, Submitted: !known || m.State == proto.MailSubmitted, Altered: m.Altered}, true, nil
}

// Carry sends the messages in a mailbox to the ship, in order, as long as the connection lasts and takes returns true. The ship stores and types
// them, and reports in its journal when the agent has read them. Messages without such a report are sent again over the next connection, also to
// a new machine.
func (p *Post) Carry(ctx context.Context, ship string, b *mailbox.Box, conn *wire.Conn, takes func() bool) {
	aboardNow := map[string]bool{}
	for ctx.Err() == nil {
		changed := b.Changed()
		pause := time.Minute
		for _, m := range b.All() {
			if aboardNow[m.ID] {
				continue
			}
			if !takes() {
				pause = 250 * time.Millisecond
				break
			}
			var got proto.Mail
			limit, cancel := context.WithTimeout(ctx, 30*time.Second)
			err := conn.Call(limit, proto.MethodMail, m, &got)
			cancel()
			if err != nil {
				if wire.Gone(err) || ctx.Err() != nil {
					return
				}
				p.Take(ship, proto.Mail{ID: m.ID, State: proto.MailQueued, Why: err.Error()})
				pause = 5 * time.Second
				break
			}
			aboardNow[m.ID] = true
			if got.ID == m.ID {
				p.Take(ship, got)
			}
		}
		select {
		case <-changed:
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// ClaimID returns the id of the message that tells an agent of a claim that it was given.
func ClaimID(task string, epoch uint64) string { return fmt.Sprintf("task-%s-%d", task, epoch) }
