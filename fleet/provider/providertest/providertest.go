// Package providertest checks that a provider keeps the contract of package provider.
package providertest

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

// Subject is a provider under test, in an environment that no other test uses.
type Subject struct {
	Provider provider.Provider

	// Again returns another Provider for the same environment, as another process would have.
	Again func() provider.Provider

	// Kill stops the machine without telling the provider. Nil if that cannot happen.
	Kill func(m provider.Machine)

	// Leftovers lists what is left of a machine that was destroyed and forgotten.
	Leftovers func(m provider.Machine) []string

	// There reports whether a machine exists. It does not ask the provider.
	There func(name string) bool

	// Lies are functions that each make the service lie once in its next answer. Lies that the service cannot tell are
	// missing.
	Lies map[Lie]func()

	// Unmark removes the mark that a machine is ours, and returns a function that restores it. Nil if machines have no
	// such mark.
	Unmark func(name string) (mark func())

	// Return makes a destroyed machine exist again. Nil if that cannot happen.
	Return func(name string)

	// Truth ends the lies that would otherwise go on. It is nil if the service tells each lie only once.
	Truth func()
}

// Run checks every rule of the contract, each with a new subject. Rules that leave a machine as it was are checked on one machine.
func Run(t *testing.T, open func(t *testing.T) *Subject) {
	t.Run("one machine", func(t *testing.T) {
		t.Parallel()
		oneMachine(t, &harness{Subject: open(t), t: t, signer: newSigner(t)})
	})
	for _, c := range []struct {
		name string
		test func(*testing.T, *harness)
	}{
		{"limits allow sensible names", limits},
		{"create adopts after an answer was lost", createAfterCancel},
		{"creates at the same time make one machine", createConcurrently},
		{"many machines at the same time", createMany},
		{"list filters by all labels", list},
		{"ensure brings back what died", ensureDead},
		{"ensure does not make machines", ensureMissing},
		{"destroy removes everything", destroy},
		{"destroy of nothing is fine", destroyMissing},
		{"a destroyed name can be used again", createAfterDestroy},
		{"destroy at the same time", destroyConcurrently},
		{"nothing is proven by one lie", lies},
		{"what is not marked as ours is left alone", unmarked},
		{"what comes back is destroyed again", comesBack},
		{"dialling a missing machine fails", dialMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, &harness{Subject: open(t), t: t, signer: newSigner(t)})
		})
	}
}

// oneMachine checks, one after the other, the rules that leave a machine as it was.
func oneMachine(t *testing.T, h *harness) {
	if _, err := h.Provider.Get(h.ctx(), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("get, before it is made: %v", err)
	}
	m := h.create("ship-0")
	for _, c := range []struct {
		name string
		test func(*testing.T, *harness, provider.Machine)
	}{
		{"a new machine answers", createAnswers},
		{"create is idempotent", createAgain},
		{"a name with other labels is taken", createTaken},
		{"get knows one machine", get},
		{"machines survive as JSON", asJSON},
		{"ensure leaves a running machine alone", ensureRunning},
		{"only the key given gets in", onlyOurKey},
		{"the host key is the one told", hostKey},
		{"commands run", commands},
		{"terminals work", terminals},
		{"a check reaches nothing of its ship", checkReachesNothing},
		{"calls end with their context", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, &harness{Subject: h.Subject, t: t, signer: h.signer}, m) })
	}
}

// harness is a subject with helpers for the tests.
type harness struct {
	*Subject
	t      *testing.T
	signer ssh.Signer
}

var labels = map[string]string{"install": "i1", "voyage": "voyage-1"}

func newSigner(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func (h *harness) ctx() context.Context {
	return eventually.Context(h.t)
}

func (h *harness) spec(name string) provider.Spec {
	return provider.Spec{Name: name, Labels: labels, AuthorizedKey: string(ssh.MarshalAuthorizedKey(h.signer.PublicKey()))}
}

// create makes a machine that is destroyed when the test ends.
func (h *harness) create(name string) provider.Machine {
	h.t.Helper()
	h.destroyLater(name)
	m, err := h.Provider.Create(h.ctx(), h.spec(name))
	if err != nil {
		h.t.Fatalf("create %s: %v", name, err)
	}
	return m
}

func (h *harness) destroyLater(name string) {
	h.t.Cleanup(func() {
		h.gone(eventually.Context(h.t), name)
	})
}

// gone destroys a machine, and forgets it once it is proven to be gone: confirmed, or missing twice.
func (h *harness) gone(ctx context.Context, name string) {
	h.t.Helper()
	err := h.Provider.Destroy(ctx, name)
	if errors.Is(err, provider.ErrNotFound) {
		err = h.Provider.Destroy(ctx, name)
	}
	if err == nil || errors.Is(err, provider.ErrNotFound) {
		err = h.Provider.Forget(ctx, name)
	}
	if err != nil {
		h.t.Errorf("destroy %s: %v", name, err)
	}
}

func (h *harness) link(m provider.Machine, signer ssh.Signer, hostKey string) *link.Link {
	h.t.Helper()
	l, err := link.Open(link.Config{
		Name: m.Name, User: m.User, Signers: []ssh.Signer{signer},
		HostKey: hostKey, LearnHostKey: hostKey == "",
		Dial: func(ctx context.Context) (net.Conn, error) { return h.Provider.Dial(ctx, m) },
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { l.Close() })
	return l
}

// run runs a command on the machine, to prove that it works.
func (h *harness) run(m provider.Machine, script string) string {
	h.t.Helper()
	l := h.link(m, h.signer, m.HostKey)
	defer l.Close()
	if err := l.AwaitConnected(h.ctx()); err != nil {
		h.t.Fatal(err)
	}
	r, err := l.Run(h.ctx(), link.Command{Argv: []string{"sh", "-c", script}})
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(string(r.Stdout))
}

func limits(t *testing.T, h *harness) {
	l := h.Provider.Limits()
	pattern, err := regexp.Compile(l.NamePattern)
	if err != nil {
		t.Fatal(err)
	}
	const usual = "voyage-0123456789ab-ship12"
	if !pattern.MatchString(usual) || l.NameMax < len(usual) {
		t.Errorf("%q is not allowed", usual)
	}
	if h.Provider.Name() == "" {
		t.Error("it has no name")
	}
	for _, bad := range []string{"", "../x", "a/b", strings.Repeat("x", l.NameMax+1)} {
		spec := h.spec(bad)
		if _, err := h.Provider.Create(h.ctx(), spec); err == nil {
			t.Errorf("a machine named %q was made", bad)
		}
	}
}

func list(t *testing.T, h *harness) {
	if found, err := h.Provider.List(h.ctx(), nil); err != nil || len(found) != 0 {
		t.Errorf("at first: %v, %v", found, err)
	}
	h.create("ship-0")
	h.destroyLater("ship-1")
	other := h.spec("ship-1")
	other.Labels = map[string]string{"install": "i1", "voyage": "voyage-2"}
	if _, err := h.Provider.Create(h.ctx(), other); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		labels map[string]string
		want   string
	}{
		{nil, "ship-0 ship-1"},
		{map[string]string{"install": "i1"}, "ship-0 ship-1"},
		{labels, "ship-0"},
		{other.Labels, "ship-1"},
		{map[string]string{"install": "i2"}, ""},
		{map[string]string{"install": "i1", "absent": ""}, ""},
	} {
		found, err := h.Again().List(h.ctx(), c.labels)
		var names []string
		for _, m := range found {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want || err != nil {
			t.Errorf("labels %v: got %q, want %q (%v)", c.labels, got, c.want, err)
		}
	}
}

func get(t *testing.T, h *harness, m provider.Machine) {
	for _, p := range []provider.Provider{h.Provider, h.Again()} {
		if got, err := p.Get(h.ctx(), "ship-0"); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, %v, want %+v", got, err, m)
		}
	}
	if _, err := h.Provider.Get(h.ctx(), "ship"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a part of a name: %v", err)
	}
}

func asJSON(t *testing.T, h *harness, m provider.Machine) {
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var stored provider.Machine
	if err := json.Unmarshal(b, &stored); err != nil || !reflect.DeepEqual(stored, m) {
		t.Errorf("got %+v, %v, want %+v", stored, err, m)
	}
	if got := h.run(stored, "echo hello"); got != "hello" {
		t.Errorf("got %q", got)
	}
	for _, secret := range []string{"PRIVATE"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("it contains %s", secret)
		}
	}
}
