package voyage

import (
	"context"
	"encoding/json"

	"ocaptain/fleet/aboard/wire"
)

// redacted makes all that a ship says go through redact.
func (v *Voyage) redacted(all wire.Handlers) wire.Handlers {
	for method, handle := range all {
		all[method] = func(ctx context.Context, params json.RawMessage) (any, error) {
			if params != nil {
				params = json.RawMessage(v.Secrets.Redact(string(params)))
			}
			return handle(ctx, params)
		}
	}
	return all
}
