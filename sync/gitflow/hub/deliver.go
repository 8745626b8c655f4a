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

// request returns a request to a remote, with the fields that all verbs need.
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

// courier sends requests to remotes, with the commits that they need.
type courier struct {
	repo     git.Repo // holds the commits
	deadline time.Duration
}

// ask sends a request to a remote and has take read the reply, within c.deadline.
func (c courier) ask(ctx context.Context, r sync.Remote, verb string, q wire.Request, pack func(context.Context, io.Writer) error, take wire.Take) error {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	return wire.Ask(ctx, r, verb, q, pack, take)
}

// aim waits until the hub knows which commit to check out. It returns that commit and the commits that the remote
// needs.
type aim func(ctx context.Context) (target string, want []string, err error)

// at returns an aim for a target that is known already.
func at(target string, want ...string) aim {
	return func(context.Context) (string, []string, error) { return target, want, nil }
}

// deliver sends a request to a remote, and the commits of the aim after it: the remote can begin before the aim is
// known. since are the commits that the remote is thought to have. If since is empty or wrong, deliver asks the
// remote what it has.
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
			if _, _, err := to(ctx); err != nil { // the fault is the hub's: it found no target
				return context.Cause(ctx)
			}
			if missing = p.Missing; !missing {
				return take(ctx, p, in)
			}
			last := since
			if since, err = c.known(ctx, p.Has); slices.Equal(since, last) {
				since = nil // the remote lacks objects of these commits: send everything
			}
			return err
		})
		if err != nil || !missing {
			return err
		}
	}
	return fmt.Errorf("remote %s: it keeps losing what it was sent", verb)
}

// sendAim sends the target of an aim, and a pack with the commits that the remote needs for it.
func (c courier) sendAim(ctx context.Context, w io.Writer, to aim, since []string) error {
	target, want, err := to(ctx)
	if err != nil { // deliver gets the error from to again, once the remote has replied
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

// known returns those of the given commits that the hub has.
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
