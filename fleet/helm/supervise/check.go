package supervise

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"ocaptain/fleet"
)

// Check returns an error if something would keep helm from starting. It makes and opens the files that a start would.
// It leaves a running helm alone.
func Check(ctx context.Context, h fleet.Hub) error {
	if err := h.Make(); err != nil {
		return err
	}
	if _, err := OwnBinary(h); err != nil {
		return fmt.Errorf("its program cannot be copied: %w", err)
	}
	log, err := openLog(h)
	if err != nil {
		return err
	}
	defer log.Close()
	return withoutHelm(ctx, h, func() error {
		l, err := net.Listen("unix", filepath.Join(h.Runtime, "helm.test")) // as long as the name of helm's own socket
		if err != nil {
			return err
		}
		return l.Close()
	})
}
