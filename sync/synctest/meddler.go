package synctest

import (
	"context"
	"io"
	"sync/atomic"

	"ocaptain/sync"
)

// meddler is a remote that calls meddle before each command except the first.
type meddler struct {
	sync.Remote
	meddle func()
	n      atomic.Int32
}

func (m *meddler) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if m.n.Add(1) > 1 {
		m.meddle()
	}
	return m.Remote.Tree(ctx, args, stdin, stdout)
}
