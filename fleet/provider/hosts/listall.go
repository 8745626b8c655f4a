package hosts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ocaptain/fleet/provider"
)

var _ provider.AllLister = (*Provider)(nil)

// ListAll lists the ships whose names begin with prefix, on all configured hosts and on dropped hosts that still have ships
// of this install. The error names the hosts that did not answer.
func (p *Provider) ListAll(ctx context.Context, prefix string) ([]provider.Machine, error) {
	all, records, err := p.ashore()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var found []provider.Machine
	var silent []error
	var asked sync.WaitGroup
	for _, e := range all {
		asked.Go(func() {
			a, err := p.callHost(ctx, e, request{Do: doList})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				silent = append(silent, err)
			}
			for _, m := range a.Machines {
				if believable(m, e, nil, records) && strings.HasPrefix(m.Name, prefix) {
					found = append(found, machineAt(e, m))
				}
			}
		})
	}
	asked.Wait()
	slices.SortFunc(found, func(a, b provider.Machine) int { return strings.Compare(a.ID+a.Name, b.ID+b.Name) })
	return found, errors.Join(silent...)
}

// ashore returns the hosts that are configured or have ships of ours, and the records of these ships.
func (p *Provider) ashore() ([]Entry, []record, error) {
	records, err := p.records()
	if err != nil {
		return nil, nil, err
	}
	all, err := p.entries()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		if e, err := Parse(r.Host); err == nil && !slices.ContainsFunc(all, func(o Entry) bool { return o.String() == e.String() }) {
			all = append(all, e) // a host that is no longer configured
		}
	}
	return all, records, nil
}

// DestroyListed destroys a ship that ListAll returned. The host destroys it only if it has these labels.
func (p *Provider) DestroyListed(ctx context.Context, m provider.Machine) error {
	i := strings.LastIndexByte(m.ID, '/')
	if i < 0 || !isValidName(m.Name) {
		return fmt.Errorf("ship %.100q: its host is not known", m.Name)
	}
	e, err := Parse(m.ID[:i])
	if err != nil {
		return err
	}
	unlock, err := p.lockName(ctx, m.Name)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = p.callHost(ctx, e, request{Do: doDestroy, Name: m.Name, Labels: m.Labels})
	return err
}
