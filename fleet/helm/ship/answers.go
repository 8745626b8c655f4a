package ship

import (
	"context"
	"encoding/json"
	"maps"

	"ocaptain/fleet/aboard/wire"
)

// Answers returns the handlers for the ship's requests. A request to a handler of asked counts against the ship's
// budget, one to a handler of free does not. Handlers get the ship's texts without the secrets of agents, and each
// answer waits until the journal has what it promises.
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
