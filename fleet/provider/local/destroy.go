package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ocaptain/fleet/provider"
)

// Destroy ends all processes of a ship and removes its directories.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if len(name) > 63 || !validName().MatchString(name) {
		return nil
	}
	_, none := os.Lstat(p.place(&record{Name: name}).Dir)
	_, idle := os.Lstat(p.lockFile(name)) // a ship that begins has this first
	if errors.Is(none, fs.ErrNotExist) && errors.Is(idle, fs.ErrNotExist) {
		return ctx.Err()
	}
	unlock, err := p.lock(ctx, name)
	if err != nil {
		return err
	}
	gone := false
	defer func() { unlock(gone) }()

	r, err := p.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		r = &record{Name: name} // begun and not recorded: a directory at most
	} else if err != nil {
		return err
	}
	at := p.place(r)
	if r.ID != "" {
		if err := p.kill(ctx, r); err != nil {
			return err
		}
		for _, name := range []string{at.Runtime, at.socket} {
			if err := removeAll(name); err != nil {
				return fmt.Errorf("destroy local ship %s: %w", r.Name, err)
			}
		}
	}
	// The record goes last, so that a removal cut short can be finished.
	for _, dir := range []string{at.Home, at.Dir} {
		if err := removeAll(dir); err != nil {
			return fmt.Errorf("destroy local ship %s: %w", name, err)
		}
	}
	gone = true
	return nil
}

// Forget has nothing to drop: a directory is there, or is not.
func (p *Provider) Forget(context.Context, string) error { return nil }
