package helm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	gosync "sync"
	"time"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// maxWait bounds how long a client may wait for a message to be read.
const maxWait = time.Minute

// post is the captain's messages to the ships of a voyage, until they have arrived.
type post struct {
	mu    gosync.Mutex
	dir   fleet.Dir
	boxes map[string]*mailbox.Box
	ends  map[string]proto.Mail // how the last messages arrived, by id
	held  map[string]proto.Mail // why the first message of a ship is not read yet
}

// boxOf returns the messages to a ship.
func (p *post) boxOf(ship string) (*mailbox.Box, error) {
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

// takeReport takes over what a ship tells of a message. It may tell anything, so what is not
// known to be under way is not believed.
func (p *post) takeReport(ship string, m proto.Mail) {
	b, err := p.boxOf(ship)
	if err != nil || !b.Has(m.ID) {
		return
	}
	m.Why = clean.Bound(m.Why, 500)
	switch m.State {
	case proto.MailSubmitted, proto.MailTyped:
	case proto.MailQueued:
		if m.Why == "" {
			return // it has it; that takes nothing back of why an earlier one waits
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
	_ = b.Remove(m.ID) // else the ship is asked again, and says so again
}

// withdraw takes a message back that has not arrived. One that is aboard already is taken out by the ship, which learns
// that it has lost the claim.
func (p *post) withdraw(ship, id string) {
	if b, err := p.boxOf(ship); err == nil && b.Has(id) {
		_ = b.Remove(id) // else the ship takes it out
	}
}

// unread tells how many messages to a ship have not arrived, and what the ship says of
// the first of them.
func (p *post) unread(ship string) (n int, why string) {
	b, err := p.boxOf(ship)
	if err != nil {
		return 0, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.Len(), p.held[ship].Why
}

// messageState is how a message stands that was accepted.
func (v *voyage) messageState(ship string, id string, b *mailbox.Box) api.Said {
	if !b.WasDone(id) {
		_, why := v.post.unread(ship)
		return api.Said{ID: id, Queued: reads(v, func() string { return v.queuedLocked(ship, why) })}
	}
	v.post.mu.Lock()
	defer v.post.mu.Unlock()
	m, known := v.post.ends[id]
	return api.Said{ID: id, Submitted: !known || m.State == proto.MailSubmitted, Altered: m.Altered}
}

// queuedLocked says why a message to a ship waits. The caller holds v.mu.
func (v *voyage) queuedLocked(ship, told string) string {
	s := v.ships[ship]
	switch {
	case s == nil:
		return ship + " is not ready yet"
	case s.conn == nil:
		return ship + " cannot be reached now"
	case s.known.State.State == proto.StateLimited:
		return strings.TrimSuffix("its agent is limited: "+s.known.State.Why, ": ")
	case told != "":
		return told
	}
	return "it is on its way"
}

// send keeps a message for a ship's agent, and waits a while for it to be read.
func (v *voyage) send(ctx context.Context, ship string, in api.SayRequest) (api.Said, error) {
	if err := v.mayTell(ship); err != nil {
		return api.Said{}, err
	}
	if !mailbox.Legible(in.Text) || len(in.Text) > mailbox.MaxText || !utf8.ValidString(in.Text) {
		return api.Said{}, api.Refused("a message is text of 1 to %d bytes with something to read in it", mailbox.MaxText)
	}
	if in.ID == "" {
		in.ID = rand.Text()
	}
	if !mailbox.ValidID(in.ID) {
		return api.Said{}, api.Refused("a message cannot have this id")
	}
	b, err := v.post.boxOf(ship)
	if err == nil {
		err = b.Add(mailbox.Message{ID: in.ID, At: time.Now(), Text: in.Text, Command: in.Command})
	}
	if errors.Is(err, mailbox.ErrFull) {
		return api.Said{}, api.Refused("%s: %v", ship, err)
	}
	if err != nil {
		return api.Said{}, err
	}
	changes(v, func() {
		if s := v.ships[ship]; s != nil {
			s.forgive() // whom the captain speaks to is sent back to work anew
		}
		v.requestBoard()
	})
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
	return v.messageState(ship, in.ID, b), nil
}

// mayTell says why a ship takes no messages, or nil.
func (v *voyage) mayTell(ship string) error {
	return reads(v, func() error {
		f := v.fleet.ShipNamed(ship)
		switch {
		case f == nil:
			return api.NotFound("voyage %s has no %s", v.dir.ID(), ship)
		case f.Phase == fleet.Failed || f.Phase == fleet.Going:
			return api.Refused("%s is %s", ship, f.Phase)
		case !takesMessages(agentOf(&v.info, f)):
			return api.Refused("the %s agent does not take messages", f.Agent)
		}
		return nil
	})
}

// takesMessages reports whether an agent can be told something: in its terminal, or by the
// prompt of its next turn.
func takesMessages(a agent.Agent) bool { return a.Talks || a.Turns }

// courier brings messages aboard, in order, as long as the connection lasts. The ship
// keeps them, types them, and tells by its journal when the agent has read them. What it
// has not told of is brought again over the next connection, to a new machine too.
func (s *ship) courier(ctx context.Context, conn *wire.Conn) {
	b, err := s.v.post.boxOf(s.name)
	if err != nil {
		s.v.addNote(fleet.Note{Ship: s.name, Text: "messages to it cannot be read: " + err.Error()})
		return
	}
	aboardNow := map[string]bool{}
	for ctx.Err() == nil {
		changed := b.Changed()
		pause := time.Minute
		for _, m := range b.All() {
			if aboardNow[m.ID] {
				continue
			}
			if !s.takesMail(conn) {
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
				s.v.post.takeReport(s.name, proto.Mail{ID: m.ID, State: proto.MailQueued, Why: err.Error()})
				pause = 5 * time.Second
				break
			}
			aboardNow[m.ID] = true
			if got.ID == m.ID {
				s.v.post.takeReport(s.name, got)
			}
		}
		select {
		case <-changed:
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// takesMail reports whether a message would be read soon. One that came while the agent
// is limited would be lost on it: its turn ends with the next error.
func (s *ship) takesMail(conn *wire.Conn) bool {
	return reads(s.v, func() bool { return s.conn == conn && s.known.State.State != proto.StateLimited })
}

// mailed takes over what the ship's journal tells of a message.
func (s *ship) mailed(data json.RawMessage) {
	var m proto.Mail
	if json.Unmarshal(data, &m) == nil {
		s.v.post.takeReport(s.name, m)
	}
}

// interrupt has the agent stop what it does.
func (s *ship) interrupt(ctx context.Context) (api.Interrupted, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn := reads(s.v, func() *wire.Conn { return s.conn })
	if conn == nil {
		return api.Interrupted{}, api.Refused("%s cannot be reached now", s.name)
	}
	var p proto.Paused
	err := conn.Call(ctx, proto.MethodPause, struct{}{}, &p)
	return api.Interrupted{Was: p.Was, Still: p.Still}, err
}
