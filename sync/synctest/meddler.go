package synctest

import (
	"context"
	"io"
	"sync/atomic"

	"ocaptain/sync"
)

// meddler does something before each command but the first reaches its remote.
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
