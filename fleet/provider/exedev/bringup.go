package exedev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/pattern"
)

// bringUp waits until the machine runs and its SSH server answers, and records what it learns.
func (p *Provider) bringUp(ctx context.Context, r *record, v vm) (provider.Machine, error) {
	var none provider.Machine
	restarted, began := false, time.Now()
	var failed error // the error of the restart, which the list may contradict
	for pauses := retry.Doubling(250*time.Millisecond, 5*time.Second); !v.isReady(); {
		// The machine may stop while bringUp waits. But a second restart would hit a machine that is coming up.
		if v.stateOf() == provider.Stopped && !restarted {
			restarted = true
			_, failed = p.lobby.runAgain(ctx, "restart", v.Name)
		} else if err := retry.Sleep(ctx, pauses.NextBackOff()); err != nil {
			return none, fmt.Errorf("exe.dev machine %s does not come up: %w", r.Name, err)
		}
		all, err := p.lobby.list(ctx)
		if err != nil {
			return none, err
		}
		found, there := all[p.records.vmName(r.Name)]
		if !there && time.Since(began) < p.options.Settle {
			continue // lists may not show the new machine yet
		}
		if !there {
			return none, fmt.Errorf("exe.dev machine %s: %w", r.Name, provider.ErrNotFound)
		}
		if v = found; failed != nil && v.stateOf() == provider.Stopped {
			return none, fmt.Errorf("exe.dev machine %s: %w", r.Name, failed)
		}
	}
	addr, user, err := v.address()
	if err != nil {
		return none, err
	}
	r.Made, r.Addr = true, addr
	if user != "" {
		r.User = user
	}
	if r.User == "" {
		if r.User, err = p.userOf(ctx, v); err != nil {
			return none, fmt.Errorf("who logs in to exe.dev machine %s: %w", r.Name, err)
		}
	}
	if err := p.records.save(r); err != nil {
		return none, err
	}
	if err := p.greets(ctx, addr); err != nil {
		return none, fmt.Errorf("exe.dev machine %s does not answer at %s: %w", r.Name, addr, err)
	}
	return p.machine(r, v), nil
}

// isReady reports whether the machine runs and nothing is left to ask. An unknown status counts as running.
func (v vm) isReady() bool {
	return v.Dest != "" && v.Status != "" && (v.stateOf() == provider.Running || v.stateOf() == provider.Unknown)
}

var validUser = pattern.New(`^[a-z_][a-z0-9_.-]{0,31}$`)

// userOf asks the machine itself for the user to log in as, by way of the lobby, since images differ. A machine that
// was just made may not answer yet.
func (p *Provider) userOf(ctx context.Context, v vm) (string, error) {
	for pauses := retry.Doubling(500*time.Millisecond, 5*time.Second); ; {
		out, err := p.lobby.runAgain(ctx, "ssh", v.Name, "id", "-un")
		var no *refusal
		switch user := strings.TrimSpace(string(out)); {
		case err == nil && validUser().MatchString(user):
			return user, nil
		case err == nil:
			err = fmt.Errorf("an answer that makes no sense: %s", shortLine(out))
		case !errors.As(err, &no) || no.code != 255: // 255 means that ssh could not connect
			return "", err
		}
		if e := retry.Sleep(ctx, pauses.NextBackOff()); e != nil {
			return "", fmt.Errorf("%w; %w", e, err)
		}
	}
}

// greets waits until an SSH server has sent its greeting.
func (p *Provider) greets(ctx context.Context, addr string) error {
	for pauses := retry.Doubling(200*time.Millisecond, 5*time.Second); ; {
		err := p.greeting(ctx, addr)
		if err == nil {
			return nil
		}
		if e := retry.Sleep(ctx, pauses.NextBackOff()); e != nil {
			return fmt.Errorf("%w; %w", e, err)
		}
	}
}

func (p *Provider) greeting(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := p.through(ctx, addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	b := make([]byte, 4)
	if _, err := io.ReadFull(conn, b); err != nil {
		return fmt.Errorf("no greeting: %w", err)
	}
	if string(b) != "SSH-" {
		return errors.New("not an SSH server")
	}
	return nil
}

// machine combines the record with what the lobby says.
func (p *Provider) machine(r *record, v vm) provider.Machine {
	m := provider.Machine{
		Name: r.Name, ID: r.ID, Addr: r.Addr, User: r.User, Labels: maps.Clone(r.Labels),
		State: v.stateOf(), Created: r.Created,
	}
	if addr, user, err := v.address(); err == nil {
		m.Addr = addr
		if strings.Contains(v.Dest, "@") || m.User == "" {
			m.User = user
		}
	}
	return m
}
