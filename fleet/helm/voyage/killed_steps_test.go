//go:build long

package voyage

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/install"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
)

// TestHelmIsKilledAtEveryStep kills helm with -9 at every step that there is, on a ship that needs them all: it is
// at exe.dev, joins a real tailnet, and the real Claude Code proves its login. The next helm goes on, or sinks it as it is. Nothing is
// left: no machine, device, key or process.
func TestHelmIsKilledAtEveryStep(t *testing.T) {
	lab := newWholeLab(t)
	for _, step := range provision.StepNames() {
		t.Run(step, func(t *testing.T) {
			k := lab.killing(t)
			k.start()
			k.killedAt(step, true)
			k.killedAt(step, false)
		})
	}
}

// wholeLab is what a ship needs that goes through all steps.
type wholeLab struct {
	tailnet *tailnettest.Tailnet
	api     *apitest.Fake // of the tailnet
	claude  *claudetest.API
	agents  string // directory with Claude Code
}

func newWholeLab(t *testing.T) *wholeLab {
	t.Helper()
	l := &wholeLab{
		tailnet: tailnettest.Start(t, ""), api: apitest.Start(t, apitest.Options{Tags: []string{tailnettest.Tag}}),
		claude: claudetest.Start(t, loopback.Worker), agents: filepath.Join(claudetest.Binary(t), "..", ".."),
	}
	t.Setenv("OCAPTAIN_TAILSCALE_SOCKET", l.tailnet.Join(t, "laptop").Daemon.Socket)
	t.Setenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER", l.tailnet.URL)
	t.Setenv("OCAPTAIN_TAILSCALE_TARBALLS", tailnettest.NewShelf(t).URL)
	l.tailnet.TellTo(l.api)
	return l
}

// killedThere is a captain whose helm is killed at a step.
type killedThere struct {
	*killing
	*wholeLab
	exe *exedevtest.Fake
}

func (l *wholeLab) killing(t *testing.T) *killedThere {
	t.Helper()
	r := newRealHelm(t)
	env := map[string]string{"OCAPTAIN_AGENTS": l.agents}
	for name, value := range tailnettest.Env {
		env[name] = value
	}
	f := exedevtest.Start(t, exedevtest.Config{TellUser: true, Env: env, Shared: []string{l.agents}})
	helmtest.AtExe(t, f, r.hub)
	if err := install.KeepTailnet(r.hub, tailnet.Credentials{Secret: l.api.Secret(), URL: l.api.URL, Tag: tailnettest.Tag}); err != nil {
		t.Fatal(err)
	}
	return &killedThere{&killing{realHelm: r, service: "exedev", machines: f.Machines, said: f.Said, order: "new --name"}, l, f}
}

// killedAt kills helm at that step of a new voyage. The next one goes on, or not, and sinks it.
func (k *killedThere) killedAt(step string, goes bool) {
	k.Helper()
	t := k.TB.(*testing.T)
	ctx := eventually.Context(t)
	for !k.dies(ctx, step) { // the step was over sooner than helm was dead
		k.next()
		k.sunk(ctx)
	}
	k.next()
	if goes {
		eventually.Holds(t, "the next helm goes on", func() bool { return k.ship().Phase == fleet.Afloat })
		if s := k.ship(); s.Tailnet == nil {
			t.Errorf("%s: it is not in the tailnet", step)
		}
	}
	k.sunk(ctx)
}

// dies has helm fit out a ship and die at a step, and tells whether it did.
func (k *killedThere) dies(ctx context.Context, step string) bool {
	k.Helper()
	k.d = helmtest.Voyage(k.TB.(*testing.T), k.hub, fleet.Voyage{Provider: "exedev"}, "#!/bin/sh\n")
	v, err := fleet.LoadVoyage(k.d)
	if err != nil {
		k.Fatal(err)
	}
	v.Agent = "claude"
	if err := v.Save(k.d); err != nil {
		k.Fatal(err)
	}
	hello, err := k.client.Hello(ctx)
	if err != nil {
		k.Fatal(err)
	}
	r := api.SailRequest{
		Ships:   1,
		Secrets: map[string]string{"ANTHROPIC_API_KEY": "sk-ant-api03-only-for-tests-0123456789"},
		Env:     map[string]string{"ANTHROPIC_BASE_URL": k.claude.URL},
	}
	began := make(chan error, 1)
	go func() { began <- k.client.Sail(ctx, k.d.ID(), r, nil) }()
	for k.ship().Step != step {
		select {
		case err := <-began:
			if err != nil {
				k.Fatalf("%s: it was over before helm could be killed: %v; it went through %v", step, err, k.ship().Steps)
			}
			for _, s := range k.ship().Steps {
				if s.Name == step {
					return false
				}
			}
			k.Fatalf("no ship goes through %s, but through %v", step, k.ship().Steps)
		case <-eventually.Later(100 * time.Microsecond):
		}
	}
	_ = syscall.Kill(hello.PID, syscall.SIGKILL)
	if err := <-began; err == nil { // it has not even lost its helm
		return false
	}
	s := k.ship()
	return s.Step == step && s.Phase == fleet.Provisioning
}

// sunk sinks the voyage, after which nothing is left of it.
func (k *killedThere) sunk(ctx context.Context) {
	k.Helper()
	if err := k.client.Sink(ctx, k.d.ID(), nil); err != nil {
		k.Errorf("sink: %v", err)
	}
	if found, err := k.client.Orphans(ctx, nil, nil); err != nil || len(found.Orphans)+len(found.Others)+len(found.Unasked) > 0 {
		k.Errorf("%+v, %v", found, err)
	}
	helmtest.NoRecords(k.TB.(*testing.T), k.hub)
	if len(k.machines())+len(k.api.Devices())+len(k.api.Keys()) > 0 {
		k.Errorf("left: machines %q, devices %+v, keys %+v", k.machines(), k.api.Devices(), k.api.Keys())
	}
	eventually.Holds(k.TB.(*testing.T), "its processes end", func() bool { return len(proctest.With(k.exe.Root())) == 0 })
}
