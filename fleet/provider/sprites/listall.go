package sprites

import (
	"context"

	"ocaptain/fleet/provider"
)

var _ provider.AllLister = (*Provider)(nil)

// ListAll returns all sprites of the organization whose names begin with prefix.
func (p *Provider) ListAll(ctx context.Context, prefix string) ([]provider.Machine, error) {
	return p.list(ctx, prefix, nil)
}

// DestroyListed destroys a sprite that ListAll returned. It returns ErrTaken if the sprite was made again since, or
// has other labels now.
func (p *Provider) DestroyListed(ctx context.Context, m provider.Machine) error {
	if len(p.options.Own) > 0 && provider.Includes(m.Labels, p.options.Own) {
		return p.Destroy(ctx, m.Name)
	}
	return p.remove(ctx, m.Name, func(s sprite) bool {
		is := s.machine()
		return is.ID == m.ID && sameLabels(is.Labels, m.Labels)
	})
}
