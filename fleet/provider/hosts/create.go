package hosts

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// Create makes a ship on the host with the fewest ships, or adopts an existing ship. If the host of a new ship is out
// of reach, Create keeps no record.
func (p *Provider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	if !isValidName(spec.Name) {
		return none, fmt.Errorf("bad name %q for a ship: lower case letters, digits and dashes, %d at most", spec.Name, nameMax)
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.AuthorizedKey)); err != nil {
		return none, fmt.Errorf("key for ship %s: %w", spec.Name, err)
	}
	unlock, err := p.lockName(ctx, spec.Name)
	if err != nil {
		return none, err
	}
	defer unlock()
	r, fresh, err := p.choosePlace(ctx, spec)
	if err != nil {
		return none, err
	}
	e, err := Parse(r.Host)
	if err != nil {
		return none, err
	}
	c, err := p.captain.Connect(ctx, e.loginPlace())
	if err != nil {
		if fresh {
			err = errors.Join(err, p.forget(r.Name))
		}
		return none, err
	}
	defer c.Close()
	a, err := p.callOver(ctx, c, e, request{Do: doCreate, Name: spec.Name, Labels: spec.Labels, Key: spec.AuthorizedKey, Walled: spec.Walled})
	if err != nil {
		if fresh && errors.Is(err, provider.ErrTaken) {
			err = errors.Join(err, p.forget(r.Name)) // the ship is somebody else's, and must never be destroyed
		}
		return none, err
	}
	return machineAt(e, *a.Machine), nil
}

// Ensure starts a ship again whose server does not answer, for example after a reboot of its host.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	r, err := p.load(name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.askForMachine(ctx, r, request{Do: doEnsure, Name: name})
}

// Destroy kills all processes of a ship and removes its directory; with the last ship of a host it also removes
// ocaptain's program. A ship without a record was never requested.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if _, err := p.load(name); errors.Is(err, provider.ErrNotFound) {
		return ctx.Err()
	}
	unlock, err := p.lockName(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := p.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := Parse(r.Host)
	if err != nil {
		return err
	}
	_, err = p.callHost(ctx, e, request{Do: doDestroy, Name: name, Labels: r.Labels})
	return err
}

// Forget removes the record of a ship.
func (p *Provider) Forget(ctx context.Context, name string) error {
	if !isValidName(name) {
		return nil
	}
	unlock, err := p.lockName(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	return p.forget(name)
}

// askForMachine sends a request about the ship of a record to its host.
func (p *Provider) askForMachine(ctx context.Context, r record, what request) (provider.Machine, error) {
	e, err := Parse(r.Host)
	if err != nil {
		return provider.Machine{}, err
	}
	a, err := p.callHost(ctx, e, what)
	if err != nil {
		return provider.Machine{}, err
	}
	return machineAt(e, *a.Machine), nil
}
