//go:build tsnet

package tailnet

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// embedded is a running node, which keeps what it needs in dir.
type embedded struct {
	*tsnet.Server
	id, dir string
}

// embed joins the tailnet. Nothing is sent to Tailscale's log service, and the node is forgotten
// by the tailnet when it is closed.
func embed(ctx context.Context, dir, login string, pass Pass) (node, error) {
	envknob.SetNoLogsNoSupport()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(ownMemory)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &embedded{dir: dir, Server: &tsnet.Server{
		Dir: dir, Store: new(mem.Store), Ephemeral: true, Hostname: pass.Host,
		AuthKey: pass.Secret, AdvertiseTags: []string{pass.Tag}, ControlURL: login,
		Logf: logger.Discard, UserLogf: logger.Discard,
	}}
	status, err := s.Up(ctx)
	if err == nil && status.Self == nil {
		err = errors.New("it does not know itself")
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("join the tailnet: %w", err)
	}
	s.id = string(status.Self.ID)
	return s, nil
}

func (s *embedded) ID() string { return s.id }

// Close logs the node out, too: it is ephemeral.
func (s *embedded) Close() error {
	return errors.Join(s.Server.Close(), os.RemoveAll(s.dir))
}
