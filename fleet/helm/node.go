package helm

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/tailnet"
)

// nodePrefix begins what helm is called that is a node of the tailnet by itself.
const nodePrefix = "ocaptain-hub-"

// isNode tells whether a machine of the book is such a helm.
func isNode(machine string) bool { return strings.HasPrefix(machine, nodePrefix) }

// node is helm's own place in the tailnet, for a machine without Tailscale. It carries the ships' tag, as the
// secret makes no other keys, so the tailnet's policy must let that tag reach itself.
//
// Each time that it joins it does so under a new name and with a berth of its own, so that nothing that is
// being removed can be taken for it.
func (h *Helm) node() *tailnet.Own {
	b := h.harbour
	return &tailnet.Own{
		Dir: nodeDir(b.hub), LoginServer: os.Getenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER"),
		Pass: func(ctx context.Context) (tailnet.Pass, error) { return b.pass(ctx, h.install) },
		Joined: func(host, id string) error {
			_, err := b.book.Change(host, func(r *tailnet.Berth) { r.Node = id })
			return err
		},
		Left: func(host string) {
			if _, err := b.leave(host); err != nil {
				h.log.Error("helm's device on the tailnet may stay", "machine", host, "error", err)
			}
			b.poke()
		},
		Known: func(ctx context.Context, host string) error {
			api, err := b.ask()
			if err != nil {
				return err
			}
			r, there, err := b.book.Get(host)
			if err == nil && there {
				_, err = api.Find(ctx, r)
			}
			return err
		},
		Needed: h.sailsTailnet,
	}
}

func nodeDir(hub fleet.Hub) string { return filepath.Join(hub.State, "tsnet") }

// pass makes what the node joins with. As for a ship, that there will be a key is recorded before it is made.
func (b *harbour) pass(ctx context.Context, install string) (tailnet.Pass, error) {
	api, err := b.ask()
	if err != nil {
		return tailnet.Pass{}, err
	}
	host := nodePrefix + install[:min(len(install), 12)] + "-" + strings.ToLower(rand.Text()[:8])
	if _, err := b.book.Change(host, func(*tailnet.Berth) {}); err != nil {
		return tailnet.Pass{}, err
	}
	key, err := b.mint(ctx, api, host)
	if err != nil {
		_, gone := b.leave(host)
		b.poke()
		return tailnet.Pass{}, errors.Join(err, gone)
	}
	return tailnet.Pass{Host: host, Tag: api.Tag(), Secret: key.Secret()}, nil
}

// sailsTailnet tells whether a voyage has ships that are reached over the tailnet.
func (h *Helm) sailsTailnet() bool {
	h.mu.Lock()
	all := make([]*voyage, 0, len(h.voyages))
	for _, v := range h.voyages {
		all = append(all, v)
	}
	h.mu.Unlock()
	for _, v := range all {
		v.mu.Lock()
		needs := false
		for _, s := range v.fleet.Ships {
			needs = needs || v.fleet.Phase != fleet.Sunk && s.Tailnet != nil
		}
		v.mu.Unlock()
		if needs {
			return true
		}
	}
	return false
}

// abandon has unmoor remove what helms had on the tailnet that have ended.
func (b *harbour) abandon() error {
	all, err := b.book.All()
	for _, r := range all {
		if isNode(r.Machine) {
			_, e := b.leave(r.Machine)
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, os.RemoveAll(nodeDir(b.hub)))
}

// departing is how long helm's end waits for Tailscale.
const departing = 3 * time.Second

// depart removes helm's own device when it ends. What is not done by then the next helm does.
func (b *harbour) depart() {
	all, _ := b.book.All()
	ctx, cancel := context.WithTimeout(context.Background(), departing)
	defer cancel()
	for _, r := range all {
		if isNode(r.Machine) && r.Leaving {
			_, _ = b.clear(ctx, r.Machine)
		}
	}
}
