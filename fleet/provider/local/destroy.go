package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ocaptain/fleet/provider"
)

// Destroy kills all processes of a ship and removes its directories.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if len(name) > 63 || !validName().MatchString(name) {
		return nil
	}
	_, none := os.Lstat(p.dirs.place(&record{Name: name}).Dir)
	_, idle := os.Lstat(p.dirs.lockFile(name)) // this file is the first that is made for a ship
	if errors.Is(none, fs.ErrNotExist) && errors.Is(idle, fs.ErrNotExist) {
		return ctx.Err()
	}
	unlock, err := p.dirs.lock(ctx, name)
	if err != nil {
		return err
	}
	gone := false
	defer func() { unlock(gone) }()

	r, err := p.dirs.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		r = &record{Name: name} // unfinished and without a record, so at most its directory exists
	} else if err != nil {
		return err
	}
	at := p.dirs.place(r)
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
	// The record is removed last, so that an interrupted removal can be finished.
	for _, dir := range []string{at.Home, at.Dir} {
		if err := removeAll(dir); err != nil {
			return fmt.Errorf("destroy local ship %s: %w", name, err)
		}
	}
	gone = true
	return nil
}

// Forget does nothing: a ship either has a directory or does not exist.
func (p *Provider) Forget(context.Context, string) error { return nil }
