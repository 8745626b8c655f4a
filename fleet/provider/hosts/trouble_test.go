package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

func newSpec(t testing.TB, name string) provider.Spec {
	t.Helper()
	key := hoststest.NewKey(t, filepath.Join(t.TempDir(), "ship"), "")
	return provider.Spec{Name: name, Labels: map[string]string{"ocaptain": "i1"}, AuthorizedKey: string(ssh.MarshalAuthorizedKey(key))}
}

// create makes a ship that is destroyed when the test ends.
func (p *port) create(name string) provider.Machine {
	p.Helper()
	m, err := p.provider().Create(soon(p), newSpec(p, name))
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		ctx := eventually.Context(p)
		p.away(ctx, name)
	})
	return m
}

// away destroys a ship, which may not exist, and forgets it.
func (p *port) away(ctx context.Context, name string) {
	p.Helper()
	err := p.provider().Destroy(ctx, name)
	if err == nil || errors.Is(err, provider.ErrNotFound) {
		err = p.provider().Forget(ctx, name)
	}
	if err != nil {
		p.Error(err)
	}
}

// refused checks that Create makes nothing, and that its error contains all the words.
func (p *port) refused(words ...string) {
	p.Helper()
	_ = p.refusal(words...)
}

// refusal is refused, and returns the error.
func (p *port) refusal(words ...string) error {
	p.Helper()
	_, err := p.provider().Create(soon(p), newSpec(p, "ship-x"))
	if err == nil {
		p.Fatal("it was made")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			p.Errorf("%v\nlacks %q", err, w)
		}
	}
	p.away(soon(p), "ship-x")
	return err
}

func TestHostDown(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay, mole := p.start("quay", nil), p.start("mole", nil)
	first, second := p.create("ship-0"), p.create("ship-1")
	mole.Halt()
	defer mole.Boot()
	if p.host(first) != quay || p.host(second) != mole {
		t.Fatalf("they are at %s and %s", first.ID, second.ID)
	}
	var temporary *provider.Temporary
	p.options.Hosts = func() ([]string, error) { return []string{"mole"}, nil }
	if err := p.refusal("host mole cannot be reached"); !errors.As(err, &temporary) {
		t.Errorf("not temporary: %v", err)
	}
	if _, err := p.provider().Get(soon(t), "ship-0"); err != nil {
		t.Errorf("the ship of the other host: %v", err)
	}
	if _, err := p.provider().Get(soon(t), "ship-1"); err == nil || errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a ship that nobody can see: %v", err)
	}
	if err := p.provider().Destroy(soon(t), "ship-1"); err == nil {
		t.Error("it was destroyed, and nobody was there to do it")
	}
	found, err := p.provider().List(soon(t), map[string]string{"ocaptain": "i1"})
	if err != nil || len(found) != 2 || found[0].State != provider.Running || found[1].State != provider.Unknown || !strings.Contains(found[1].Note, "mole cannot be reached") {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", nil)
	known := quay.Key
	p.create("ship-0")
	p.Forget()
	p.refused("host quay: known_hosts has no key of it", "run ssh quay once")
	p.Knows(quay.Addr, known)
	quay.Halt()
	quay.Rekey()
	quay.Boot()
	err := p.refusal("host quay: its host key changed", ".ssh/known_hosts:1", ssh.FingerprintSHA256(quay.Key))
	var changed *openssh.HostKeyError
	var temporary *provider.Temporary
	if !errors.As(err, &changed) || errors.As(err, &temporary) {
		t.Errorf("got %T", err)
	}
	p.Knows(quay.Addr, quay.Key)
	if _, err := p.provider().Get(soon(t), "ship-0"); err != nil {
		t.Errorf("with the new key accepted: %v", err)
	}
}

func TestNoWayIn(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", []string{"IdentityAgent none"})
	quay.LetsNobodyIn()
	p.refused("host quay does not let you in", "Permission denied (", "try: ssh quay")
	hoststest.NewKey(t, p.Key, "secret words")
	p.refused("host quay does not let you in", "ssh-add")
	if err := errors.Join(os.Remove(p.Key), os.Remove(p.Key+".pub")); err != nil {
		t.Fatal(err)
	}
	p.refused("host quay does not let you in", "no such identity: "+p.Key)
}

// The captain's agent is found even if helm does not know it.
func TestAgentOfLater(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "/nowhere")
	p := newPort(t)
	p.start("quay", nil)
	socket := p.Agent()
	p.refused("the ssh-agent does not answer")
	if err := openssh.Remember(p.options.AgentFile, socket); err != nil {
		t.Fatal(err)
	}
	p.create("ship-0")
}

func TestSlowHost(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", []string{"ConnectTimeout 1"})
	quay.Freeze()
	p.refused("host quay cannot be reached")
	quay.Thaw()
	p.create("ship-0")
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", nil)
	quay.Halt()
	quay.Small = true
	quay.Boot()
	_, err := p.provider().Create(soon(t), newSpec(t, "ship-0"))
	root := os.Getuid() == 0 // others than root have a limit on files, whose error is less clear
	if err == nil || !strings.Contains(err.Error(), "host quay: ") || root && !strings.Contains(err.Error(), "No space left") {
		t.Errorf("got %v", err)
	}
	p.away(soon(t), "ship-0")
	if left, _ := filepath.Glob(filepath.Join(fmt.Sprintf("/proc/%d/root", quay.Pid()), quay.Ships())); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
	looks, err := p.provider().LookAtAll(soon(t))
	if err != nil || len(looks) != 1 || looks[0].Err != nil || root && looks[0].Free > 2 || looks[0].Git == "" {
		t.Errorf("%+v, %v", looks, err)
	}
}

// Two captains share a host: neither adopts or destroys a ship of the other.
func TestTwoCaptains(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil)
	m := p.create("ship-0")
	other := *p
	other.options.State = filepath.Join(t.TempDir(), "other")
	spec := newSpec(t, "ship-0")
	spec.Labels = map[string]string{"ocaptain": "i2"}
	if _, err := other.provider().Create(soon(t), spec); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("got %v", err)
	}
	if err := other.provider().Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
	// That is so even if a captain's process was killed before it noticed.
	record := `{"name":"ship-0","host":"quay","labels":{"ocaptain":"i2"}}`
	if err := os.WriteFile(filepath.Join(other.options.State, "ship-0.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := other.provider().Destroy(soon(t), "ship-0"); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("got %v", err)
	}
	if got, err := p.provider().Get(soon(t), "ship-0"); err != nil || got.ID != m.ID || got.State != provider.Running {
		t.Errorf("%+v, %v", got, err)
	}
}
