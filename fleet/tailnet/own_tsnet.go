//go:build tsnet

package tailnet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"tailscale.com/envknob"
	"tailscale.com/ipn/store/mem"
	"tailscale.com/tsnet"
	"tailscale.com/types/logger"
)

// Embedded says that this program can be a node by itself.
const Embedded = true

// ownMemory is what this process then tries to stay below: a node takes some 30 MB, but after
// a large transfer several hundred unless it is told. 100 MB cost it three quarters of its speed.
const ownMemory = 400 << 20

// embed joins the tailnet. Nothing is sent to Tailscale's log service, and the node is forgotten
// by the tailnet when it is closed.
func embed(ctx context.Context, o *Own, key string) (node, error) {
	envknob.SetNoLogsNoSupport()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(ownMemory)
	}
	dir := filepath.Join(o.Dir, "tsnet")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &tsnet.Server{
		Dir: dir, Store: new(mem.Store), Ephemeral: true, Hostname: o.Hostname,
		AuthKey: key, AdvertiseTags: []string{o.Tag}, ControlURL: o.LoginServer,
		Logf: logger.Discard, UserLogf: logger.Discard,
	}
	if _, err := s.Up(ctx); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("join the tailnet: %w", err)
	}
	return s, nil
}
