// Package helm is what runs on the hub: the one process that owns the voyages,
// keeps a connection to every ship, and decides every claim and completion.
package helm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	gosync "sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/turn"
)

// Helm looks after all voyages of one captain.
type Helm struct {
	hub        fleet.Hub
	bin        supervise.Binary
	install    string
	key        ssh.Signer
	providers  map[string]provider.Provider
	disconnect func() // ends what providers keep open
	here       shower // of this machine, nil where ships see all of it
	tailscale  install.Tailscale
	creates    map[string]chan struct{} // by provider: places for those who make a machine
	machines   *machines.Keeper         // of all providers
	programs   describe.Program
	net        *tailnet.Net
	joinFrom   joinFrom
	began      time.Time
	awake      awake
	calendar   calendar
	log        *slog.Logger
	ctx        context.Context // ends when helm does
	stop       context.CancelFunc

	jobs    group
	sweeper *sweep.Sweeper
	trees   *trees.Trees
	notify  Notify
	keep    Keep
	calls   *notify.Service

	setupTime time.Duration   // that a repository's setup script may take
	lateTries []time.Duration // how long to wait before each further try to take up a voyage
	paceTicks func() (<-chan time.Time, func())

	planning gosync.Mutex // held from the count of a provider's machines until a voyage has planned more of them; before every other lock

	mu      gosync.Mutex
	voyages map[string]*voyage
	gates   map[string]turn.Turn    // by id, each held while that voyage is opened or closed; before mu
	damaged map[string]string       // why a voyage cannot be taken up, by id
	told    map[machines.ID]trouble // that the captain was told of
}

// Notify returns the command that the captain is called by, nil for none, as he has configured it now.
type Notify func() ([]string, error)

// Keep returns how many bytes the directories of sunk voyages may have, 0 for any number, as the captain has configured it now.
type Keep func() (int64, error)

// Run is the helm process. It takes up every voyage that is on disk, and returns
// when it is told to stop or ctx ends. Another helm running is an error.
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
	h, err := newHelm(ctx, hub, bin, settings, supervise.NewLog(hub))
	if err != nil {
		return err
	}
	h.notify, h.keep = notify, keep
	defer h.close()
	_ = os.Remove(api.Socket(hub)) // of a helm that was killed
	listener, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		return err
	}
	h.jobs.Go(func() { supervise.KeepGuard(h.ctx, hub) })
	h.log.Info("helm is up", "pid", os.Getpid(), "version", supervise.Version)
	h.jobs.Go(func() {
		h.takeUp()
		if err := h.machines.Resume(); err != nil {
			h.log.Error("machines that are to be destroyed", "error", err)
		}
		h.sweeper.Look()
	})
	h.jobs.Go(h.callForInstall)
	h.jobs.Go(h.archivePast)
	return h.serveClients(listener)
}

// watcher is a provider that looks after its machines for as long as helm runs.
type watcher interface{ Watch(ctx context.Context) }

// shower is a provider whose ships see a part of the captain's machine.
type shower interface {
	// Unshown returns the directories of a program of the captain's that ships do not see.
	Unshown(program string) (dirs []string, err error)
}

// newHelm makes a helm that looks after no voyage yet. The program is what it brings
// aboard of ships.
func newHelm(ctx context.Context, hub fleet.Hub, program supervise.Binary, settings describe.Settings, log *slog.Logger) (*Helm, error) {
	h := &Helm{
		hub: hub, bin: program, began: time.Now(), voyages: map[string]*voyage{}, gates: map[string]turn.Turn{}, damaged: map[string]string{}, told: map[machines.ID]trouble{}, log: log,
		net: install.Tailnet(), joinFrom: joinFromEnv(), tailscale: install.Tailscale{Hub: hub},
		notify: func() ([]string, error) { return nil, nil }, setupTime: 30 * time.Minute, lateTries: lateTries, paceTicks: paceTicks,
	}
	h.calls = h.callService()
	var err error
	if h.key, err = install.Key(hub); err != nil {
		return nil, err
	}
	env, err := install.Env(hub, h.bin, settings)
	if err != nil {
		return nil, err
	}
	h.install, h.programs = env.Install, env.Program
	made, err := install.Providers(env)
	if err != nil {
		return nil, err
	}
	h.providers, h.disconnect = maps.Clone(made), func() { install.Close(made) }
	h.creates = roomFor(h.providers)
	h.ctx, h.stop = context.WithCancel(ctx)
	for _, p := range made {
		if w, ok := p.(watcher); ok {
			h.jobs.Go(func() { w.Watch(h.ctx) })
		}
	}
	h.here, _ = made[registry.Here().Name].(shower)
	h.keepMachines()
	h.trees = h.newTrees()
	h.jobs.Go(h.keepAwake)
	return h, nil
}

// serveClients answers clients until helm is to end. It returns when nobody is being answered.
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

// takeUp goes on with every voyage that is on disk and not sunk. One that cannot be taken up
// does not keep the others from it, and is tried again.
func (h *Helm) takeUp() {
	dirs, err := fleet.Voyages(h.hub.Voyages).List()
	if err != nil {
		h.log.Error("voyages cannot be listed", "error", err)
	}
	var left []fleet.Dir
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err == nil && f.Phase == fleet.Sunk || h.ctx.Err() != nil {
			continue // it is opened when somebody asks for it
		}
		if _, err := h.open(d); err != nil {
			left = append(left, d)
		}
	}
	if len(left) > 0 {
		h.jobs.Go(func() { h.takeUpLate(left) })
	}
}

// open takes up a voyage that is on disk.
func (h *Helm) open(d fleet.Dir) (*voyage, error) {
	v, gate := h.opened(d.ID())
	if v != nil {
		return v, nil
	}
	if err := gate.Lock(h.ctx); err != nil {
		return nil, err
	}
	defer gate.Unlock()
	if v, _ := h.opened(d.ID()); v != nil {
		return v, nil
	}
	if err := h.ctx.Err(); err != nil {
		return nil, err
	}
	v, err := openVoyage(h, d)
	if err == nil {
		v.startWork()
		v.jobs.Go(v.watchman)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.damaged[d.ID()] = err.Error()
		return nil, fmt.Errorf("voyage %s cannot be taken up: %w; its ships can be sunk all the same: ocaptain sink %s", d.ID(), err, d.ID())
	}
	delete(h.damaged, d.ID())
	h.voyages[d.ID()] = v
	return v, nil
}

// opened returns the voyage of that id if it is open, and its gate.
func (h *Helm) opened(id string) (*voyage, turn.Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[id] == nil {
		h.gates[id] = turn.New()
	}
	return h.voyages[id], h.gates[id]
}

// forget lets go of a voyage that is sunk, so that the captain may remove its directory.
func (h *Helm) forget(v *voyage) {
	_, gate := h.opened(v.dir.ID())
	if gate.Lock(h.ctx) != nil {
		return // close ends its work
	}
	defer gate.Unlock()
	sunk := reads(v, func() bool { return v.fleet.Phase == fleet.Sunk })
	if !sunk || !v.isSaved() {
		return
	}
	v.close()
	h.mu.Lock()
	if h.voyages[v.dir.ID()] == v {
		delete(h.voyages, v.dir.ID())
	}
	h.mu.Unlock()
}

// voyage returns the voyage of that id, which may have come to be since helm began.
func (h *Helm) voyage(id string) (*voyage, error) {
	d, err := fleet.Voyages(h.hub.Voyages).Find(id)
	if err != nil {
		return nil, api.NotFound("%v", err)
	}
	return h.open(d)
}

// close ends the work on every voyage. The ships do not notice.
func (h *Helm) close() {
	h.stop()
	h.machines.Close()
	h.jobs.close()
	defer h.disconnect()
	h.mu.Lock()
	gates := maps.Clone(h.gates)
	h.mu.Unlock()
	var all gosync.WaitGroup
	for id, gate := range gates {
		all.Go(func() {
			_ = gate.Lock(context.Background()) // no open begins after h.stop; this waits for an open that is under way
			defer gate.Unlock()
			if v, _ := h.opened(id); v != nil {
				v.close()
			}
		})
	}
	all.Wait()
}
