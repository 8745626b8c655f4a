package voyage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// realHelm is the captain of a hub whose helm is a process of its own, as it is in earnest.
type realHelm struct {
	testing.TB
	hub    fleet.Hub
	client *api.Client
	cmd    *exec.Cmd
	ended  chan struct{}
}

// newRealHelm gives the test a hub whose helm and guard are stopped when it ends.
func newRealHelm(t *testing.T) *realHelm {
	t.Helper()
	hub := helmtest.Hub(t)
	hub.Cache = filepath.Join(hub.Home, ".cache", "ocaptain")
	r := &realHelm{TB: t, hub: hub, client: api.NewClient(hub)}
	t.Cleanup(func() {
		if err := supervise.Stop(context.Background(), hub); err != nil {
			t.Errorf("stop helm: %v", err)
		}
	})
	return r
}

// start starts a helm, which starts its guard.
func (r *realHelm) start() {
	r.Helper()
	_ = os.Remove(filepath.Join(r.hub.State, "helm.stopped"))
	r.cmd = exec.Command(helmtest.Program, "helm", "run")
	r.cmd.Env = append(os.Environ(), "HOME="+r.hub.Home, "OCAPTAIN_HOME="+r.hub.Home)
	out, err := os.OpenFile(supervise.LogPath(r.hub), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		r.Fatal(err)
	}
	defer out.Close()
	r.cmd.Stdout, r.cmd.Stderr = out, out
	if err := r.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = r.cmd.Wait(); close(ended) }()
	r.ended = ended
	r.up()
}

// up waits until a helm answers.
func (r *realHelm) up() {
	r.Helper()
	eventually.Succeeds(r, "helm comes up", func() error {
		_, err := r.client.Hello(context.Background())
		if err != nil {
			raw, _ := os.ReadFile(supervise.LogPath(r.hub))
			err = fmt.Errorf("%w\n%s", err, clean.Tail(string(raw), 4000))
		}
		return err
	})
}

// next waits for the helm after a killed helm. The guard starts it, unless helm was killed before it had a
// guard: then the next command does.
func (r *realHelm) next() {
	r.Helper()
	guards := slices.ContainsFunc(proctest.With(r.hub.Home), func(p string) bool { return strings.HasSuffix(strings.TrimSpace(p), "helm guard") })
	if guards {
		r.up()
		return
	}
	r.start()
}

// moment is one at which helm is killed.
type moment struct {
	name string
	when func(*killing) bool
	does string // after the ship sails: "", replace or sink
	goes bool   // on with the sail before it is sunk
	gone bool   // its directory is removed before the next helm
}

func atStep(step string) func(*killing) bool {
	return func(k *killing) bool { return k.ship().Step == step }
}

var moments = []moment{
	{name: "create under way", when: func(k *killing) bool { return k.asked() }, goes: true},
	{name: "launch, and its directory is removed", when: atStep("launch"), gone: true},
	{name: "sink", does: "sink", when: func(k *killing) bool { return k.ship().Phase == fleet.Going }},
}

// TestHelmIsKilledAtEachStep kills helm with -9 at moments of fitting out and of taking away, at each
// service that costs. The next one, which the guard starts, goes on; after a sink nothing is left there, and
// the ledger is empty.
func TestHelmIsKilledAtEachStep(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			for _, service := range []string{"sprites", "exedev"} {
				r := newRealHelm(t)
				k := &killing{realHelm: r, service: service}
				switch service {
				case "sprites":
					f := helmtest.Sprites(t)
					helmtest.AtSprites(t, f, r.hub)
					k.machines, k.said = f.Names, f.Requests
					k.order = "POST /v1/sprites"
				case "exedev":
					f := helmtest.Exe(t)
					helmtest.AtExe(t, f, r.hub)
					k.machines, k.said = f.Machines, f.Said
					k.order = "new --name"
				}
				k.run(m.does, m.when, m.goes, m.gone)
			}
		})
	}
}

// killing is one death of helm.
type killing struct {
	*realHelm
	service  string
	machines func() []string
	said     func() []string // requests to the service
	order    string          // how one for a machine begins
	d        fleet.Dir
}

func (k *killing) there() int { return len(k.machines()) }
func (k *killing) booked() bool {
	return machines.Of(k.hub).Has(machines.ID{Provider: k.service, Name: k.d.ID() + "-ship0"})
}

func (k *killing) asked() bool {
	for _, s := range k.said() {
		if strings.Contains(s, k.order) {
			return true
		}
	}
	return false
}

// ship is the ship as it is on disk.
func (k *killing) ship() fleet.Ship {
	f, err := fleet.LoadFleet(k.d)
	if err != nil || len(f.Ships) == 0 {
		return fleet.Ship{}
	}
	return *f.Ships[0]
}

func (k *killing) run(does string, when func(*killing) bool, goes, gone bool) {
	k.Helper()
	ctx := eventually.Context(k)
	k.d = helmtest.Voyage(k.TB.(*testing.T), k.hub, fleet.Voyage{Provider: k.service}, "#!/bin/sh\n")
	k.start()
	id := k.d.ID()
	sail := func() error { return k.client.Sail(ctx, id, api.SailRequest{Ships: 1}, nil) }
	act := sail
	switch does {
	case "replace":
		act = func() error { return k.client.ReplaceShip(ctx, id, "ship-0", nil) }
	case "sink":
		act = func() error { return k.client.Sink(ctx, id, nil) }
	}
	if does != "" {
		if err := sail(); err != nil {
			k.Fatal(err)
		}
	}
	began := make(chan error, 1)
	go func() { began <- act() }()
	for !when(k) {
		select {
		case err := <-began:
			k.Fatalf("%s: it was over before helm could be killed: %v", k.service, err)
		case <-eventually.Later(time.Millisecond):
		}
	}
	if gone { // no process may write there meanwhile
		if err := supervise.MarkStopped(k.hub); err != nil {
			k.Fatal(err)
		}
	}
	_ = syscall.Kill(k.cmd.Process.Pid, syscall.SIGKILL)
	<-k.ended
	if n := k.there(); n > 0 && !k.written() {
		k.Errorf("%s: %d machines are there, and nothing is written down", k.service, n)
	}
	if gone {
		if err := os.RemoveAll(string(k.d)); err != nil {
			k.Fatal(err)
		}
		k.start()
		found, err := k.client.KnownOrphans(ctx)
		if err != nil || len(found) != 1 || found[0].Name != id+"-ship0" {
			k.Errorf("%s: helm finds %+v, %v", k.service, found, err)
		}
	} else {
		k.next()
	}
	if goes {
		eventually.Holds(k.TB.(*testing.T), "the next helm goes on", func() bool { return k.ship().Phase == fleet.Afloat })
	}
	if err := k.client.Sink(ctx, id, nil); err != nil {
		k.Errorf("%s: sink: %v", k.service, err)
	}
	if left := k.machines(); len(left) > 0 {
		k.Errorf("%s: left: %q", k.service, left)
	}
	if found, err := k.client.Orphans(ctx, nil, nil); err != nil || len(found.Orphans)+len(found.Others)+len(found.Unasked) > 0 {
		k.Errorf("%s: %+v, %v", k.service, found, err)
	}
	helmtest.NoRecords(k.TB.(*testing.T), k.hub)
}

// written reports whether the ledger has a machine.
func (k *killing) written() bool {
	all, err := machines.Of(k.hub).All()
	return err == nil && len(all) > 0 && all[0].Provider == k.service && strings.HasPrefix(all[0].Name, fmt.Sprint(k.d.ID(), "-ship0"))
}
