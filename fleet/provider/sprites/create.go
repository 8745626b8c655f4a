package sprites

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// Create makes a sprite, or adopts the one of that name with the same labels, and starts its SSH server. If
// sprites.dev asks for patience, it waits as long as ctx lasts.
func (p *Provider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	if !isName(spec.Name) {
		return none, fmt.Errorf("bad name %.100q for a sprite: lower case letters, digits and dashes, %d at most", spec.Name, nameMax)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.AuthorizedKey))
	if err != nil {
		return none, fmt.Errorf("key for sprite %s: %w", spec.Name, err)
	}
	if err := p.createSprite(ctx, spec); err != nil {
		return none, spriteError(spec.Name, err)
	}
	if err := p.installServer(ctx, spec.Name, ssh.MarshalAuthorizedKey(key)); err != nil {
		return none, err
	}
	return p.wakeSprite(ctx, spec.Name)
}

// createSprite waits until a sprite of that name with these labels exists. If the answer to an attempt was lost, it
// finds out what happened before the next attempt.
func (p *Provider) createSprite(ctx context.Context, spec provider.Spec) error {
	order := map[string]any{"name": spec.Name, "labels": slices.Sorted(slices.Values(labelTags(spec.Labels)))}
	for n := 1; ; n++ {
		err := p.attempt(ctx, call{method: http.MethodPost, path: "/v1/sprites", json: order, once: true})
		if err == nil {
			return nil
		}
		var later *provider.Temporary
		again := errors.As(err, &later)
		taken := status(err) == http.StatusBadRequest || status(err) == http.StatusConflict
		if again && !isBusy(err) || taken {
			there, e := p.getSprite(ctx, spec.Name)
			switch {
			case e == nil && sameLabels(there.labels(), spec.Labels):
				return nil
			case e == nil:
				return provider.ErrTaken
			case !errors.Is(e, provider.ErrNotFound):
				return errors.Join(err, e)
			}
		}
		if !again || n >= attempts && !isBusy(err) {
			return err
		}
		spec.Wait(err)
		if e := patience.Pause(ctx, n, later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}

// Ensure wakes a sprite, and restarts its SSH server if that does not answer.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	if _, err := p.getSprite(ctx, name); err != nil {
		return provider.Machine{}, err
	}
	if err := p.greets(ctx, name); err != nil {
		var later *provider.Temporary
		if !errors.As(err, &later) {
			return provider.Machine{}, err
		}
		if err := p.installServer(ctx, name, nil); err != nil {
			return provider.Machine{}, err
		}
	}
	return p.wakeSprite(ctx, name)
}

// wakeSprite wakes a sprite and returns it once its SSH server has answered, whatever state the service reports.
func (p *Provider) wakeSprite(ctx context.Context, name string) (provider.Machine, error) {
	m, err := p.Get(ctx, name)
	m.State = provider.Running
	return m, err
}

// Destroy removes a sprite and returns when it is gone. It does not touch other installs' sprites.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if !isName(name) {
		return nil
	}
	return p.remove(ctx, name, func(s sprite) bool { return provider.Includes(s.labels(), p.options.Own) })
}

// Forget does nothing, since there are no records.
func (p *Provider) Forget(context.Context, string) error { return nil }

// remove removes a sprite if may allows it. It returns nil if the service confirmed the removal and the sprite is
// gone, and provider.ErrNotFound if the service confirmed nothing, and neither a request for the sprite nor the list
// finds it.
func (p *Provider) remove(ctx context.Context, name string, may func(sprite) bool) error {
	confirmed := false
	for n := 1; ; n++ {
		s, err := p.findSprite(ctx, name)
		if errors.Is(err, provider.ErrNotFound) && confirmed {
			return nil
		}
		if err != nil {
			return err
		}
		if !may(s) {
			return fmt.Errorf("sprite %s is not destroyed: %w", name, provider.ErrTaken)
		}
		err = p.do(ctx, call{method: http.MethodDelete, path: spritePath(name)})
		if err != nil && !isMissing(err) {
			if _, e := p.findSprite(ctx, name); !errors.Is(e, provider.ErrNotFound) {
				return spriteError(name, err) // on not found, the removal was executed, whatever the answer says
			}
		}
		confirmed = confirmed || err == nil
		if n > 1 {
			if err := patience.Pause(ctx, min(n, 4), 0); err != nil {
				return spriteError(name, fmt.Errorf("it is still there: %w", err))
			}
		}
	}
}

// findSprite asks for a sprite, and asks for the list too if the sprite is said to be missing.
func (p *Provider) findSprite(ctx context.Context, name string) (sprite, error) {
	s, err := p.getSprite(ctx, name)
	if !errors.Is(err, provider.ErrNotFound) {
		return s, err
	}
	rows, e := p.listSprites(ctx, name)
	if e != nil {
		return s, e
	}
	i := slices.IndexFunc(rows, func(row sprite) bool { return row.Name == name })
	switch {
	case i < 0:
		return s, err
	case rows[i].Labels == nil:
		return s, spriteError(name, &provider.Temporary{Err: errors.New("sprites.dev lists it, and says that it is missing")})
	}
	return rows[i], nil
}

// isPath reports whether text is safe as a directory's path in a command.
func isPath(text string) bool {
	return strings.HasPrefix(text, "/") && len(text) <= 200 && strings.Trim(text, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
