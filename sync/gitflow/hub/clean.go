package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// Clean runs fn while the remote holds a clean checkout of commit.
func (h *Hub) Clean(ctx context.Context, r sync.Remote, commit string, fn func(dir string) error) error {
	if !git.IsObjectID(commit) {
		return fmt.Errorf("clean checkout: %q is not a commit", git.PlainText(commit))
	}
	if found, err := h.known(ctx, []string{commit}); err != nil || len(found) == 0 {
		return fmt.Errorf("clean checkout: %w", errors.Join(err, fmt.Errorf("%s is not a commit here", commit)))
	}
	q, err := h.request("ocaptain")
	if err != nil {
		return fmt.Errorf("clean checkout: %w", err)
	}
	var dir string
	err = h.deliver(ctx, r, wire.VerbClean, q, at(commit, commit), nil, func(_ context.Context, p wire.Reply, _ *bufio.Reader) error {
		if dir = p.Dir; dir == "" {
			return errors.New("its reply names no directory")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("clean checkout: %w", err)
	}
	err = fn(dir)
	// Remove the directory even when ctx is cancelled.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	q = wire.Request{Format: q.Format, Branch: q.Branch, Name: q.Name, Mail: q.Mail, Limits: q.Limits, Dir: dir}
	if tidyErr := h.ask(ctx, r, wire.VerbTidy, q, nil, nil); tidyErr != nil {
		err = errors.Join(err, fmt.Errorf("clean checkout: %w", tidyErr))
	}
	return err
}
