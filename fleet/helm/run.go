// Package helm is the background process on the hub: the only process that owns the voyages, and that answers all
// clients about them.
package helm

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/voyages"
	"ocaptain/fleet/provider/describe"
)

// Helm answers the clients of one captain.
type Helm struct {
	hub   fleet.Hub
	bin   supervise.Binary
	set   *voyages.Set
	began time.Time
	log   *slog.Logger
	ctx   context.Context // ends when helm ends
	stop  context.CancelFunc
}

// Notify returns the captain's notification command, nil for none, as it is configured at the moment.
type Notify func() ([]string, error)

// Keep returns how many bytes the directories of sunk voyages may have, 0 for any number, as it is configured at the moment.
type Keep func() (int64, error)

// Run runs helm. It takes up every voyage on disk, and returns when it is told to stop or ctx ends. It fails if
// another helm is running.
func Run(ctx context.Context, hub fleet.Hub, settings describe.Settings, notify Notify, keep Keep) error {
	if err := hub.Make(); err != nil {
		return err
	}
	release, err := supervise.BecomeHelm(ctx, hub)
	if err != nil || release == nil {
		return err
	}
	defer release()
	bin, err := supervise.OwnBinary(hub)
	if err != nil {
		return err
	}
	h := &Helm{hub: hub, bin: bin, began: time.Now(), log: supervise.NewLog(hub)}
	h.ctx, h.stop = context.WithCancel(ctx)
	defer h.stop()
	if h.set, err = voyages.New(h.ctx, hub, bin, settings, notify, h.log); err != nil {
		return err
	}
	defer h.set.Close()
	var jobs sync.WaitGroup
	defer jobs.Wait()              // the jobs end with ctx, as serveClients does
	_ = os.Remove(api.Socket(hub)) // left by a helm that was killed
	listener, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		return err
	}
	jobs.Go(func() { supervise.KeepGuard(h.ctx, hub) })
	h.log.Info("helm is up", "pid", os.Getpid(), "version", supervise.Version)
	h.set.Begin()
	jobs.Go(func() { h.archivePast(keep) })
	return h.serveClients(listener)
}

// serveClients answers clients until helm has to end, and then waits for the requests in progress.
func (h *Helm) serveClients(listener net.Listener) error {
	server := &http.Server{Handler: h.routes(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return h.ctx }}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-h.ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
		_ = server.Close()
	}()
	err := server.Serve(listener)
	h.stop()
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
