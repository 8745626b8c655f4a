// Package embeddings makes vectors of texts for a voyage's ships, with the captain's key, up to the voyage's limit of tokens.
package embeddings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/summed"
	"ocaptain/fleet/tokens"
	"ocaptain/fleet/turn"
)

// Maker makes the vectors of one voyage. Its methods are safe for concurrent use.
type Maker struct {
	hub    fleet.Hub
	dir    fleet.Dir
	order  fleet.Embeddings
	redact func(string) string
	tell   func(text string) // tells the captain a text

	turn  turn.Turn // held during a request, so that concurrent ships exceed the limit by at most one request
	spent spent
	read  bool // spent was read from the file
}

// spent is the content of the file that counts the tokens that a voyage has used for vectors.
type spent struct {
	Tokens int `json:"tokens"`
}

// New returns a Maker for a voyage with these settings. redact removes secrets from a text, and tell tells the captain what he has to know.
func New(hub fleet.Hub, d fleet.Dir, order fleet.Embeddings, redact func(string) string, tell func(text string)) *Maker {
	return &Maker{hub: hub, dir: d, order: order, redact: redact, tell: tell, turn: turn.New()}
}

// Make makes vectors of a ship's texts, with the captain's key, which the ship does not get. Helm itself has each vector
// made from the text, so that no ship can choose what another ship finds.
func (m *Maker) Make(ctx context.Context, r proto.MeaningRequest) (proto.Meanings, error) {
	service, ok := meaning.ServiceOf(m.order.Service)
	switch {
	case !ok:
		return proto.Meanings{}, errors.New("this voyage's code is sent to no service of embeddings")
	case len(r.Texts) == 0 || len(r.Texts) > meaning.MaxTexts:
		return proto.Meanings{}, fmt.Errorf("vectors of %d texts: ask for 1 to %d", len(r.Texts), meaning.MaxTexts)
	}
	for i, text := range r.Texts {
		if text == "" || len(text) > meaning.MaxText {
			return proto.Meanings{}, fmt.Errorf("text %d has %d bytes: send 1 to %d", i, len(text), meaning.MaxText)
		}
		r.Texts[i] = m.redact(text) // the service must not get secrets of the agents
	}
	if err := m.turn.Lock(ctx); err != nil {
		return proto.Meanings{}, err
	}
	defer m.turn.Unlock()
	used, err := m.tokens()
	if err != nil {
		return proto.Meanings{}, err
	}
	if limit := m.order.Tokens; used >= limit {
		m.tell(fmt.Sprintf("its code has cost %d tokens at %s, of %d: what has no vector yet is found by words alone", used, service.Name, limit))
		return proto.Meanings{}, fmt.Errorf("the %d tokens that this voyage may cost at %s are spent", limit, service.Name)
	}
	own, err := tokens.StoreOf(m.hub).ReadToken(service.Name)
	if err != nil {
		return proto.Meanings{}, err
	}
	client, err := meaning.NewClient(service, own.Secret, own.URL)
	if err != nil {
		return proto.Meanings{}, err
	}
	defer client.Close()
	all, cost, err := meaning.NewMaker(client, m.hub.Cache).Vectors(ctx, r.Texts, r.Questions)
	if errors.Is(err, meaning.ErrKey) {
		m.tell(err.Error() + ": code is found by words alone; set " + service.Key + " to another and run: ocaptain doctor")
	}
	if e := m.spend(cost); err == nil {
		err = e
	}
	if err != nil {
		return proto.Meanings{}, err
	}
	out := proto.Meanings{Vectors: make([][]byte, len(all))}
	for i := range all {
		if out.Vectors[i], err = all[i].MarshalBinary(); err != nil {
			return proto.Meanings{}, err
		}
	}
	return out, nil
}

// tokens returns how many tokens were used so far. The caller holds turn.
func (m *Maker) tokens() (int, error) {
	if m.read {
		return m.spent.Tokens, nil
	}
	raw, err := os.ReadFile(m.dir.Embeddings())
	if err == nil {
		err = json.Unmarshal(raw, &m.spent)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w", m.dir.Embeddings(), err)
	}
	m.read = true
	return m.spent.Tokens, nil
}

// spend adds the tokens of a request to the count. The caller holds turn.
func (m *Maker) spend(tokens int) error {
	if tokens == 0 {
		return nil
	}
	m.spent.Tokens += tokens
	return summed.Write(m.dir.Embeddings(), m.spent, 0o600)
}
