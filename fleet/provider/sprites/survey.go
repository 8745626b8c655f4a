package sprites

import (
	"context"

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
	return p.remove(ctx, m.Name, func(s sprite) bool {
		is := s.machine()
		return is.ID == m.ID && same(is.Labels, m.Labels)
	})
}
