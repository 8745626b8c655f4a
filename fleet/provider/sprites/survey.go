package sprites

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"ocaptain/fleet/provider"
)

var _ provider.Surveyor = (*Provider)(nil)

// Survey returns all sprites of the organization whose names begin with prefix.
func (p *Provider) Survey(ctx context.Context, prefix string) ([]provider.Machine, error) {
	return p.list(ctx, prefix, nil)
}

// Scrap destroys a sprite as Survey told of it. One that was made anew since, or has other labels
// now, is ErrTaken.
func (p *Provider) Scrap(ctx context.Context, m provider.Machine) error {
	if len(p.options.Own) > 0 && provider.Includes(m.Labels, p.options.Own) {
		return p.Destroy(ctx, m.Name)
	}
	for n := 1; ; n++ {
		s, err := p.get(ctx, m.Name)
		if errors.Is(err, provider.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if is := s.machine(); is.ID != m.ID || !same(is.Labels, m.Labels) {
			return fmt.Errorf("sprite %s is not destroyed: %w", m.Name, provider.ErrTaken)
		}
		if err := p.do(ctx, call{method: http.MethodDelete, path: path(m.Name)}); err != nil && !isMissing(err) {
			return wrap(m.Name, err)
		}
		if n > 1 {
			if err := patience.Pause(ctx, min(n, 4), 0); err != nil {
				return wrap(m.Name, fmt.Errorf("it is still there: %w", err))
			}
		}
	}
}
