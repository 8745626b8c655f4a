package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/tokens"
	"ocaptain/fleet/turn"
)

// vectors counts the tokens of a voyage's vectors. A request holds the turn while it is carried out, so that ships exceed the
// limit by one request at most.
type vectors struct {
	turn  turn.Turn
	spent embedded
	read  bool
}

// embedded is the content of the file that keeps the count.
type embedded struct {
	Tokens int `json:"tokens"`
}

// makeVectors makes vectors of texts of a ship, with the captain's key, which the ship does not get. The vector of a text is made
// here, of that text: no ship chooses what another ship finds.
func (s *ship) makeVectors(ctx context.Context, r proto.MeaningRequest) (proto.Meanings, error) {
	v := s.v
	service, ok := meaning.ServiceOf(v.info.Embeddings.Service)
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
		r.Texts[i] = v.redact(text) // no secret of the agents goes there
	}
	if err := v.vectors.turn.Lock(ctx); err != nil {
		return proto.Meanings{}, err
	}
	defer v.vectors.turn.Unlock()
	spent, err := v.vectors.tokens(v.dir)
	if err != nil {
		return proto.Meanings{}, err
	}
	if limit := v.info.Embeddings.Tokens; spent >= limit {
		v.addNote(fleet.Note{Text: fmt.Sprintf("its code has cost %d tokens at %s, of %d: what has no vector yet is found by words alone", spent, service.Name, limit)})
		return proto.Meanings{}, fmt.Errorf("the %d tokens that this voyage may cost at %s are spent", limit, service.Name)
	}
	own, err := tokens.StoreOf(v.helm.hub).ReadToken(service.Name)
	if err != nil {
		return proto.Meanings{}, err
	}
	client, err := meaning.NewClient(service, own.Secret, own.URL)
	if err != nil {
		return proto.Meanings{}, err
	}
	defer client.Close()
	all, cost, err := meaning.NewMaker(client, v.helm.hub.Cache).Vectors(ctx, r.Texts, r.Questions)
	if errors.Is(err, meaning.ErrKey) {
		v.addNote(fleet.Note{Text: err.Error() + ": code is found by words alone; set " + service.Key + " to another and run: ocaptain doctor"})
	}
	if e := v.vectors.spend(v.dir, cost); err == nil {
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

// tokens returns what was spent so far. The caller has the turn.
func (c *vectors) tokens(d fleet.Dir) (int, error) {
	if c.read {
		return c.spent.Tokens, nil
	}
	raw, err := os.ReadFile(d.Embeddings())
	if err == nil {
		err = json.Unmarshal(raw, &c.spent)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w", d.Embeddings(), err)
	}
	c.read = true
	return c.spent.Tokens, nil
}

// spend counts what a request cost. The caller has the turn.
func (c *vectors) spend(d fleet.Dir, tokens int) error {
	if tokens == 0 {
		return nil
	}
	c.spent.Tokens += tokens
	return fleet.Save(d.Embeddings(), c.spent, 0o600)
}
