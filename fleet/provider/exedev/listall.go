package exedev

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/pattern"
)

var _ provider.AllLister = (*Provider)(nil)

// owner matches the end of a name at exe.dev that shows which install made the machine.
var owner = pattern.New(`-oc([a-z0-9]{1,16})$`)

// ListAll returns all machines of the account whose names begin with prefix. Machines of this install have the names
// that it gave them; all others have their names at exe.dev.
func (p *Provider) ListAll(ctx context.Context, prefix string) ([]provider.Machine, error) {
	all, err := p.lobby.list(ctx)
	if err != nil {
		return nil, err
	}
	var found []provider.Machine
	for name, v := range all {
		if !strings.HasPrefix(name, prefix) || len(name) > maxName || !validName().MatchString(name) {
			continue
		}
		m := provider.Machine{Name: name, ID: name, State: v.stateOf()}
		if addr, user, err := v.address(); err == nil {
			m.Addr, m.User = addr, user
		}
		if of := owner().FindStringSubmatch(name); of != nil {
			m.Labels = map[string]string{provider.Install: of[1]}
		}
		if own, ours := strings.CutSuffix(name, p.records.suffix()); ours {
			m.Name = own
			if r, err := p.records.load(own); err == nil { // a damaged record says nothing
				m = p.machine(r, v)
			}
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b provider.Machine) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// DestroyListed destroys a machine that ListAll returned. If it has a record here, it is destroyed as usual; if not,
// by its name at exe.dev.
func (p *Provider) DestroyListed(ctx context.Context, m provider.Machine) error {
	name := m.Name
	if m.Labels[provider.Install] == p.options.Install {
		if r, err := p.records.load(m.Name); err == nil && !r.Asked.IsZero() {
			return p.Destroy(ctx, m.Name)
		}
		name = p.records.vmName(m.Name)
	}
	if len(name) > maxName || !validName().MatchString(name) {
		return fmt.Errorf("no exe.dev machine is named %.100q", name)
	}
	if err := p.remove(ctx, name, nil); err != nil {
		return fmt.Errorf("destroy exe.dev machine %s: %w", name, err)
	}
	return nil
}
