package origin_test

import (
	"context"
	"io"
	"os"
	"testing"

	"ocaptain/sync/gitflow/ship"
	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// direct is a remote tree that this process serves.
type direct struct{ dir string }

func (d direct) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return ship.Serve(ctx, d.dir, args, stdin, stdout)
}
