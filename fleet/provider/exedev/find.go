package exedev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// Get returns one machine, or provider.ErrNotFound.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	r, v, err := p.findVM(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r, v), nil
}

// findVM looks for a machine's record and in the lobby's list.
func (p *Provider) findVM(ctx context.Context, name string) (*record, vm, error) {
	r, err := p.records.load(name)
	if err != nil {
		return nil, vm{}, err
	}
	all, err := p.lobby.list(ctx)
	if err != nil {
		return nil, vm{}, err
	}
	v, there := all[p.records.vmName(name)]
	if there && !r.Asked.IsZero() {
		return r, v, nil
	}
	return nil, vm{}, fmt.Errorf("exe.dev machine %s: %w", name, p.absent(ctx, r, all))
}

// List returns the machines that have all the labels. If no machine was ever requested, it does not need exe.dev.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	records, err := p.records.with(labels)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	all, err := p.lobby.list(ctx)
	if err != nil {
		return nil, err
	}
	var found []provider.Machine
	for _, r := range records {
		if v, there := all[p.records.vmName(r.Name)]; there && !r.Asked.IsZero() {
			found = append(found, p.machine(r, v))
		}
	}
	return found, nil
}

// Ensure restarts a stopped machine.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	r, v, err := p.findVM(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r.Made && v.stateOf() == provider.Running {
		p.follow(r, v)
		return p.machine(r, v), nil
	}
	unlock, err := p.records.lock(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r, v, err = p.findVM(ctx, name); err != nil {
		unlock(errors.Is(err, provider.ErrNotFound) && r == nil && !p.records.exists(name))
		return provider.Machine{}, err
	}
	defer unlock(false)
	return p.bringUp(ctx, r, v)
}

// follow records a new address of a machine. If that fails, the next Dial shows it.
func (p *Provider) follow(r *record, v vm) {
	if m := p.machine(r, v); m.Addr != r.Addr || m.User != r.User {
		r.Addr, r.User = m.Addr, m.User
		_ = p.records.save(r)
	}
}

// Destroy removes the machine, and returns when it is no longer listed. A requested machine that is not listed may
// still appear, so its record stays until Forget.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if !p.records.valid(name) || !p.records.exists(name) {
		return ctx.Err() // it was never requested
	}
	unlock, err := p.records.lock(ctx, name)
	if err != nil {
		return err
	}
	defer func() { unlock(!p.records.exists(name)) }()
	r, err := p.records.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Asked.IsZero() {
		return nil // the machine with that name is not ours
	}
	if err := p.remove(ctx, p.records.vmName(r.Name), r); err != nil {
		return fmt.Errorf("destroy exe.dev machine %s: %w", name, err)
	}
	return nil
}

// Forget removes the record of a machine.
func (p *Provider) Forget(ctx context.Context, name string) error {
	if !p.records.valid(name) || !p.records.exists(name) {
		return nil
	}
	unlock, err := p.records.lock(ctx, name)
	if err != nil {
		return err
	}
	err = os.Remove(p.records.file(name))
	unlock(err == nil || errors.Is(err, fs.ErrNotExist))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget exe.dev machine %s: %w", name, err)
	}
	return nil
}

// remove removes a machine by its name at exe.dev. It returns nil if the lobby has confirmed that and no longer lists
// the machine, and provider.ErrNotFound if the machine is not listed but the lobby has not confirmed its removal. For
// a machine that is not listed, the record r tells whether the account that was asked would list it; r is nil if
// there is no record.
func (p *Provider) remove(ctx context.Context, vmName string, r *record) error {
	confirmed := false
	for pauses := retry.Doubling(100*time.Millisecond, 3*time.Second); ; {
		all, err := p.lobby.list(ctx)
		if err != nil {
			return err
		}
		_, there := all[vmName]
		switch {
		case !there && confirmed:
			return nil
		case !there:
			return p.absent(ctx, r, all)
		}
		if err := p.listedBy(ctx, r); err != nil {
			return err
		}
		_, err = p.lobby.runAgain(ctx, "rm", vmName)
		var no *refusal
		switch {
		case err == nil:
			confirmed = true
		case !errors.As(err, &no):
			return err
		case !confirmed: // a refused removal may have worked, and lists may lag
			all, e := p.lobby.list(ctx)
			if e != nil {
				return err
			}
			if _, there := all[vmName]; there {
				return err
			}
			continue
		}
		if err := retry.Sleep(ctx, pauses.NextBackOff()); err != nil {
			return err
		}
	}
}

// absent returns the error for a machine that is not listed: it may belong to another account, or have another name.
func (p *Provider) absent(ctx context.Context, r *record, all map[string]vm) error {
	if r == nil {
		return provider.ErrNotFound
	}
	for _, v := range all {
		if addr, user, err := v.address(); err == nil && addr == r.Addr && (user == "" || user == r.User) {
			return fmt.Errorf("it is not listed, and %s has its address %s: if that is its new name, name it %s again, with: ssh exe.dev rename %s %s; if it is another machine, remove %s",
				shortLine([]byte(v.Name)), addr, p.records.vmName(r.Name), shortLine([]byte(v.Name)), p.records.vmName(r.Name), p.records.file(r.Name))
		}
	}
	me, err := p.lobby.whoami(ctx)
	if err != nil {
		return err
	}
	if err := r.checkAccount(me.Email); err != nil {
		return err
	}
	return provider.ErrNotFound
}

// listedBy records the account whose list has a machine, since no list shows that once it is destroyed.
func (p *Provider) listedBy(ctx context.Context, r *record) error {
	if r == nil {
		return nil
	}
	me, err := p.lobby.askIdentity(ctx)
	if err != nil || me.Email == r.Account {
		return err
	}
	r.Account = me.Email
	return p.records.save(r)
}
