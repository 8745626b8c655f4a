package ship

import (
	"context"
	"encoding/json"
	"maps"

	"ocaptain/fleet/aboard/wire"
)

// Answers returns what answers the ship. Each of asked costs a request of the ship's budget, and free costs none. Handlers read what the ship
// says without the secrets of agents, and no answer leaves before the journal has what helm promises with it.
func (s *Ship) Answers(asked, free wire.Handlers) wire.Handlers {
	all := maps.Clone(free)
	for method, handle := range asked {
		all[method] = func(ctx context.Context, params json.RawMessage) (any, error) {
			if err := s.MayAsk(); err != nil {
				return nil, err
			}
			return handle(ctx, params)
		}
	}
	for method, handle := range all {
		all[method] = func(ctx context.Context, params json.RawMessage) (any, error) {
			if params != nil {
				params = json.RawMessage(s.c.Secrets.Redact(string(params)))
			}
			out, err := handle(ctx, params)
			s.c.Book.Flush()
			return out, err
		}
	}
	return all
}
