package helm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	gosync "sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
)

// Helm looks after all voyages of one captain.
type Helm struct {
	hub       fleet.Hub
	bin       Binary
	install   string
	key       ssh.Signer
	providers map[string]provider.Provider
	began     time.Time
	log       *slog.Logger
	ctx       context.Context // ends when helm does
	stop      context.CancelFunc

	mu      gosync.Mutex
	voyages map[string]*voyage
}

// Run is the helm process. It takes up every voyage that is on disk, and returns
// when it is told to stop or ctx ends. Another helm running is an error.
func Run(ctx context.Context, hub fleet.Hub) error {
	if err := hub.Make(); err != nil {
		return err
	}
	lock := helmLock(hub)
	wait, cancel := context.WithTimeout(ctx, 10*time.Second)
	ok, err := lock.TryLockContext(wait, 20*time.Millisecond)
	cancel()
	if !ok {
		return fmt.Errorf("another helm runs: %w", err)
	}
	defer lock.Unlock()

	h := &Helm{hub: hub, began: time.Now(), voyages: map[string]*voyage{}}
	h.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	if h.bin, err = OwnBinary(hub); err != nil {
		return err
	}
	if h.key, err = Key(hub); err != nil {
		return err
	}
	if h.install, err = Install(hub); err != nil {
		return err
	}
	own, err := Local(hub, h.bin.Path)
	if err != nil {
		return err
	}
	h.providers = map[string]provider.Provider{own.Name(): own}
	h.ctx, h.stop = context.WithCancel(ctx)
	defer h.stop()

	dirs, err := fleet.Voyages(hub.Voyages).List()
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if _, err := h.open(d); err != nil {
			h.log.Error("voyage not taken up", "voyage", d.ID(), "error", err)
		}
	}
	_ = os.Remove(Socket(hub)) // of a helm that was killed
	listener, err := net.Listen("unix", Socket(hub))
	if err != nil {
		return err
	}
	go keepGuard(h.ctx, hub)
	server := &http.Server{Handler: h.routes(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return h.ctx }}
	go func() {
		<-h.ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
		_ = server.Close()
	}()
	h.log.Info("helm is up", "pid", os.Getpid(), "version", Version, "voyages", len(dirs))
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	h.close()
	return nil
}

// open takes up a voyage that is on disk.
func (h *Helm) open(d fleet.Dir) (*voyage, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.voyages[d.ID()]; v != nil {
		return v, nil
	}
	v, err := openVoyage(h, d)
	if err != nil {
		return nil, err
	}
	h.voyages[d.ID()] = v
	return v, nil
}

// voyage returns the voyage of that id, which may have come to be since helm began.
func (h *Helm) voyage(id string) (*voyage, error) {
	d, err := fleet.Voyages(h.hub.Voyages).Find(id)
	if err != nil {
		return nil, &answerError{err.Error(), ErrNotFound}
	}
	return h.open(d)
}

// close ends the work on every voyage. The ships do not notice.
func (h *Helm) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all gosync.WaitGroup
	for _, v := range h.voyages {
		all.Go(v.close)
	}
	all.Wait()
}
