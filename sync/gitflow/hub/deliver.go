package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// request starts a request for the tree of a remote.
func (h *Hub) request(name string) (wire.Request, error) {
	q := wire.Request{Format: h.format, Branch: name, Name: name, Mail: name + "@ocaptain.invalid", Limits: h.opts.Limits, Home: h.remote(name).Home}
	if h.opts.Branch != nil {
		q.Branch = h.opts.Branch(name)
	}
	if h.opts.Identity != nil {
		p, err := origin.ParsePerson(h.opts.Identity(name))
		if err != nil {
			return q, err
		}
		q.Name, q.Mail = p.Name, p.Mail
	}
	if !git.IsBranchName(q.Branch) {
		return q, fmt.Errorf("remote tree: %w", origin.BadBranch(q.Branch))
	}
	b, err := os.ReadFile(h.repo.Path("shallow"))
	if err == nil {
		q.Shallow = strings.Fields(string(b))
	} else if !errors.Is(err, os.ErrNotExist) {
		return q, err
	}
	return q, nil
}

// courier takes requests to remotes, and commits along with them.
type courier struct {
	repo     git.Repo // has the commits
	deadline time.Duration
}

// ask sends a request to a remote and takes its answer, until the deadline.
func (c courier) ask(ctx context.Context, r sync.Remote, verb string, q wire.Request, pack func(context.Context, io.Writer) error, take wire.Take) error {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	return wire.Ask(ctx, r, verb, q, pack, take)
}

// aim tells where a tree is to be brought, once that is known, and which commits the tree needs for that.
type aim func(ctx context.Context) (target string, want []string, err error)

// at is an aim that is known.
func at(target string, want ...string) aim {
	return func(context.Context) (string, []string, error) { return target, want, nil }
}

// deliver sends commits to a remote along with a request, which goes ahead while the aim is not known. since is what the remote is thought
// to have; when it does not, or when nothing is known, the remote is asked.
func (c courier) deliver(ctx context.Context, r sync.Remote, verb string, q wire.Request, to aim, since []string, take wire.Take) error {
	if len(since) == 0 {
		err := c.ask(ctx, r, wire.VerbHas, q, nil, func(ctx context.Context, p wire.Reply, _ *bufio.Reader) (err error) {
			since, err = c.known(ctx, p.Has)
			return err
		})
		if err != nil {
			return err
		}
	}
	for range 3 {
		missing, has := false, since
		pack := func(ctx context.Context, w io.Writer) error { return c.sendAim(ctx, w, to, has) }
		err := c.ask(ctx, r, verb, q, pack, func(ctx context.Context, p wire.Reply, in *bufio.Reader) (err error) {
			if _, _, err := to(ctx); err != nil { // which the remote is not to blame for
				return context.Cause(ctx)
			}
			if missing = p.Missing; !missing {
				return take(ctx, p, in)
			}
			last := since
			if since, err = c.known(ctx, p.Has); slices.Equal(since, last) {
				since = nil // it has them only in part: send everything
			}
			return err
		})
		if err != nil || !missing {
			return err
		}
	}
	return fmt.Errorf("remote %s: it keeps losing what it was sent", verb)
}

// sendAim sends where a tree is to be brought, and the commits that it needs for that.
func (c courier) sendAim(ctx context.Context, w io.Writer, to aim, since []string) error {
	target, want, err := to(ctx)
	if err != nil { // which the caller learns from the aim
		return wire.WriteLine(w, wire.Aim{})
	}
	need := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(since, id) })
	few := c.repo.Few(ctx, need, since)
	err = wire.WriteLine(w, wire.Aim{Target: target, Since: since, Pack: len(need) > 0, Few: few != nil})
	switch {
	case err != nil || len(need) == 0:
		return err
	case few == nil:
		return c.repo.SendThin(ctx, w, need, since)
	}
	_, err = few.WriteTo(w)
	return err
}

// known returns the commits that the hub has too.
func (c courier) known(ctx context.Context, ids []string) ([]string, error) {
	var ask []string
	for _, id := range ids {
		if id != "" {
			ask = append(ask, id+"^{commit}")
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	found, err := c.repo.Resolve(ctx, ask...)
	if err != nil {
		return nil, err
	}
	return staging.Distinct(found...), nil
}
