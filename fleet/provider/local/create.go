package local

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/private"
	"ocaptain/fleet/provider"
)

// Create makes a ship, or adopts the ship of that name with the same labels. A ship that was made with another key is
// restarted with this one.
func (p *Provider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	if len(spec.Name) > 63 || !validName().MatchString(spec.Name) {
		return none, fmt.Errorf("bad name %q for a local ship: lower case letters, digits and dashes, 63 at most", spec.Name)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.AuthorizedKey))
	if err != nil {
		return none, fmt.Errorf("key for local ship %s: %w", spec.Name, err)
	}
	unlock, err := p.dirs.lock(ctx, spec.Name)
	if err != nil {
		return none, err
	}
	defer unlock(false)

	if spec.Walled && p.options.Confine == IfPossible {
		walled := *p
		walled.options.Confine = Always
		p = &walled
	}
	authorized := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	r, err := p.dirs.load(spec.Name)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		if r, err = newRecord(spec.Name, spec.Labels, authorized); err != nil {
			return none, err
		}
		if r.Bind, err = p.options.bound(); err != nil {
			return none, err
		}
		if r.Share, err = freeDisk(p.dirs.root); err != nil {
			return none, err
		}
		r.Share /= 10
		// The record is written first, so that an unfinished ship can be found.
		if err := os.MkdirAll(p.dirs.place(r).Dir, 0o700); err != nil {
			return none, fmt.Errorf("make local ship %s: %w", r.Name, err)
		}
		if err := p.dirs.save(r); err != nil {
			return none, err
		}
	case err != nil:
		return none, err
	case !maps.Equal(r.Labels, spec.Labels):
		return none, fmt.Errorf("local ship %s: %w", spec.Name, provider.ErrTaken)
	case r.AuthorizedKey != authorized:
		if err := p.kill(ctx, r); err != nil {
			return none, err
		}
		r.AuthorizedKey = authorized
	}
	return p.bringUp(ctx, r)
}

// Ensure restarts the server of a ship that is not running or does not answer. A ship that was sandboxed is only
// restarted in a sandbox.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	if _, err := p.dirs.load(name); err != nil {
		return provider.Machine{}, err // before a lock file is made for a ship that never existed
	}
	unlock, err := p.dirs.lock(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	r, err := p.dirs.load(name)
	if err != nil {
		unlock(errors.Is(err, provider.ErrNotFound))
		return provider.Machine{}, err
	}
	defer unlock(false)
	return p.bringUp(ctx, r)
}

// bringUp waits until the ship's server answers.
func (p *Provider) bringUp(ctx context.Context, r *record) (provider.Machine, error) {
	if r.Process.Alive() {
		err := answers(ctx, p.dirs.place(r).socket, 10*time.Second)
		if err == nil && r.Ready {
			return p.machine(r), nil
		}
		if ctx.Err() != nil {
			return provider.Machine{}, fmt.Errorf("local ship %s: %w", r.Name, ctx.Err())
		}
		if err := p.kill(ctx, r); err != nil {
			return provider.Machine{}, err
		}
	}
	if err := p.makeDirs(r); err != nil {
		return provider.Machine{}, err
	}
	if err := p.hasRoom(ctx, r); err != nil {
		return provider.Machine{}, err
	}
	if err := p.start(ctx, r); err != nil {
		if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
			err = context.DeadlineExceeded // a dial may notice the timeout before its context does
		}
		return provider.Machine{}, fmt.Errorf("start local ship %s: %w", r.Name, err)
	}
	r.Ready = true
	if err := p.dirs.save(r); err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r), nil
}

func newRecord(name string, labels map[string]string, authorized string) (*record, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	hostKey, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, name)
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	return &record{
		Name:          name,
		ID:            strings.ToLower(rand.Text()[:12]),
		Labels:        maps.Clone(labels),
		AuthorizedKey: authorized,
		HostKey:       strings.TrimSpace(string(ssh.MarshalAuthorizedKey(hostKey))),
		PrivateKey:    string(pem.EncodeToMemory(block)),
		Created:       time.Now().UTC().Truncate(time.Second),
	}, nil
}

// makeDirs makes the directories of a ship. Others may write where the directories for sockets are, so it checks who
// owns these.
func (p *Provider) makeDirs(r *record) error {
	at := p.dirs.place(r)
	if err := private.Make(p.dirs.runtime); err != nil {
		return fmt.Errorf("directory for sockets of local ship %s: %w", r.Name, err)
	}
	for _, dir := range []string{at.Home, at.Runtime} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make local ship %s: %w", r.Name, err)
		}
	}
	return nil
}
