package sprites

import (
	"context"

	"ocaptain/fleet/provider"
)

var _ provider.Accounted = (*Provider)(nil)

// Whose returns the token's organization: from its text, or else from sprites.dev, which is asked once for each
// token.
func (p *Provider) Whose(ctx context.Context) (string, error) {
	own, err := p.options.Credentials()
	if err != nil {
		return "", err
	}
	if org := own.OrganizationOf(); org != "" {
		return org, nil
	}
	if org, known := p.orgs.Load(own); known {
		return org.(string), nil
	}
	org, err := p.Account(ctx)
	if again, e := p.options.Credentials(); err == nil && e == nil && again == own {
		p.orgs.Store(own, org)
	}
	return org, err
}
