package sprites

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// Create makes a sprite, or adopts the one of that name with the same labels, and gives it its
// SSH server. Where sprites.dev asks for patience it waits as long as ctx lasts.
func (p *Provider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	if !isName(spec.Name) {
		return none, fmt.Errorf("bad name %.100q for a sprite: lower case letters, digits and dashes, %d at most", spec.Name, nameMax)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.AuthorizedKey))
	if err != nil {
		return none, fmt.Errorf("key for sprite %s: %w", spec.Name, err)
	}
	if p.options.Dir == "" {
		return none, errors.New("sprites cannot be made without a directory to remember them in")
	}
	if err := p.make(ctx, spec); err != nil {
		return none, wrap(spec.Name, err)
	}
	if err := p.equip(ctx, spec.Name, ssh.MarshalAuthorizedKey(key)); err != nil {
		return none, err
	}
	return p.awake(ctx, spec.Name)
}

// make returns when a sprite of that name with these labels is there. What became of an attempt
// whose answer was lost, is found out before the next one.
func (p *Provider) make(ctx context.Context, spec provider.Spec) error {
	order := map[string]any{"name": spec.Name, "labels": slices.Sorted(slices.Values(tags(spec.Labels)))}
	unclear := p.expected(spec.Name) // whether an attempt may have made it, or may still
	for n := 1; ; n++ {
		if err := p.ask(spec.Name); err != nil {
			return err
		}
		err := p.attempt(ctx, call{method: http.MethodPost, path: "/v1/sprites", json: order, once: true})
		if err == nil {
			return p.known(spec.Name)
		}
		var later *provider.Temporary
		again := errors.As(err, &later)
		taken := status(err) == http.StatusBadRequest || status(err) == http.StatusConflict
		unclear = unclear || ctx.Err() != nil || again && !isBusy(err)
		if again && !isBusy(err) || taken {
			there, e := p.get(ctx, spec.Name)
			switch {
			case e == nil && same(there.labels(), spec.Labels):
				return p.known(spec.Name)
			case e == nil:
				return errors.Join(provider.ErrTaken, p.known(spec.Name))
			case !errors.Is(e, provider.ErrNotFound):
				return errors.Join(err, e)
			}
		}
		if !unclear {
			if e := p.known(spec.Name); e != nil {
				return errors.Join(err, e)
			}
		}
		if !again || n >= attempts && !isBusy(err) {
			return err
		}
		if e := patience.Pause(ctx, n, later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}

// Ensure wakes a sprite and starts its SSH server again when that does not answer.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	if _, err := p.get(ctx, name); err != nil {
		return provider.Machine{}, err
	}
	if err := p.greets(ctx, name); err != nil {
		var later *provider.Temporary
		if !errors.As(err, &later) {
			return provider.Machine{}, err
		}
		if err := p.equip(ctx, name, nil); err != nil {
			return provider.Machine{}, err
		}
	}
	return p.awake(ctx, name)
}

// awake returns a sprite whose SSH server has just answered, whatever the service still says.
func (p *Provider) awake(ctx context.Context, name string) (provider.Machine, error) {
	m, err := p.Get(ctx, name)
	m.State = provider.Running
	return m, err
}

// Destroy removes a sprite and returns when it is gone. One that is not this install's is left
// alone. One that was asked for and has not been seen yet is waited for: it may still come.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if !isName(name) {
		return nil
	}
	comes, began := p.expected(name), time.Now()
	for n := 1; ; n++ {
		s, err := p.get(ctx, name)
		if errors.Is(err, provider.ErrNotFound) {
			if !comes || time.Since(began) > p.options.Settle {
				return p.known(name)
			}
			if err := patience.Pause(ctx, min(n, 4), 0); err != nil {
				return wrap(name, fmt.Errorf("it was asked for, and may still come: %w", err))
			}
			continue
		}
		if err != nil {
			return err
		}
		comes = false
		if !provider.Includes(s.labels(), p.options.Own) {
			return fmt.Errorf("sprite %s is not destroyed: %w", name, provider.ErrTaken)
		}
		err = p.do(ctx, call{method: http.MethodDelete, path: path(name)})
		if err != nil && !isMissing(err) {
			return wrap(name, err)
		}
		if n > 1 {
			if err := patience.Pause(ctx, min(n, 4), 0); err != nil {
				return wrap(name, fmt.Errorf("it is still there: %w", err))
			}
		}
	}
}

// isPath tells whether text is good as a directory's name in a command.
func isPath(text string) bool {
	return strings.HasPrefix(text, "/") && len(text) <= 200 && strings.Trim(text, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
