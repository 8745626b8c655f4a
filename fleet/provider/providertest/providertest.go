// Package providertest checks that a provider keeps the contract of package provider.
package providertest

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
)

// Subject is a provider under test, with a place that no other test uses.
type Subject struct {
	Provider provider.Provider

	// Again returns another handle on the same place, as another process would have.
	Again func() provider.Provider

	// Kill makes the machine stop without the provider's knowing. Nil when that
	// cannot happen.
	Kill func(m provider.Machine)

	// Leftovers tells what is still there of a machine that was destroyed.
	Leftovers func(m provider.Machine) []string
}

// Run checks every sentence of the contract, each on a subject of its own.
func Run(t *testing.T, open func(t *testing.T) *Subject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *harness)
	}{
		{"limits allow sensible names", limits},
		{"a new machine answers", createAnswers},
		{"create is idempotent", createAgain},
		{"create adopts after an answer was lost", createAfterCancel},
		{"a name with other labels is taken", createTaken},
		{"creates at the same time make one machine", createConcurrently},
		{"many machines at the same time", createMany},
		{"list filters by all labels", list},
		{"get knows one machine", get},
		{"machines survive as JSON", asJSON},
		{"ensure leaves a running machine alone", ensureRunning},
		{"ensure brings back what died", ensureDead},
		{"ensure does not make machines", ensureMissing},
		{"destroy removes everything", destroy},
		{"destroy of nothing is fine", destroyMissing},
		{"a destroyed name can be used again", createAfterDestroy},
		{"destroy at the same time", destroyConcurrently},
		{"only the key given gets in", onlyOurKey},
		{"the host key is the one told", hostKey},
		{"commands run", commands},
		{"terminals work", terminals},
		{"dialling a missing machine fails", dialMissing},
		{"keep awake", keepAwake},
		{"calls end with their context", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			c.test(t, &harness{Subject: s, t: t, signer: newSigner(t)})
		})
	}
}

// harness is a subject with what the tests have in common.
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	h.t.Cleanup(cancel)
	return ctx
}

func (h *harness) spec(name string) provider.Spec {
	return provider.Spec{Name: name, Labels: labels, AuthorizedKey: string(ssh.MarshalAuthorizedKey(h.signer.PublicKey()))}
}

// create makes a machine that is destroyed with the test.
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
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.Provider.Destroy(ctx, name); err != nil {
			h.t.Errorf("destroy %s: %v", name, err)
		}
	})
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

// run runs a command on the machine, to prove that it can be worked with.
func (h *harness) run(m provider.Machine, script string) string {
	h.t.Helper()
	l := h.link(m, h.signer, m.HostKey)
	defer l.Close()
	if err := l.Ready(h.ctx()); err != nil {
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

func createAnswers(t *testing.T, h *harness) {
	m := h.create("ship-0")
	if m.Name != "ship-0" || m.ID == "" || m.User == "" || m.State != provider.Running || !reflect.DeepEqual(m.Labels, labels) {
		t.Errorf("got %+v", m)
	}
	if age := time.Since(m.Created); age < -time.Minute || age > 10*time.Minute {
		t.Errorf("created %s", m.Created)
	}
	if got := h.run(m, "echo hello"); got != "hello" {
		t.Errorf("got %q", got)
	}
}

func createAgain(t *testing.T, h *harness) {
	m := h.create("ship-0")
	h.run(m, "echo mine >~/file")
	for _, p := range []provider.Provider{h.Provider, h.Again()} {
		again, err := p.Create(h.ctx(), h.spec("ship-0"))
		if err != nil {
			t.Fatal(err)
		}
		if again.ID != m.ID || again.HostKey != m.HostKey {
			t.Errorf("another machine: %+v, first %+v", again, m)
		}
		if got := h.run(again, "cat ~/file"); got != "mine" {
			t.Errorf("its file has %q", got)
		}
	}
}

// A create may be cut at any moment, and must be possible to finish.
func createAfterCancel(t *testing.T, h *harness) {
	for i, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 100 * time.Millisecond} {
		name := fmt.Sprintf("ship-%d", i)
		h.destroyLater(name)
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := h.Provider.Create(ctx, h.spec(name))
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cut after %s: %v", after, err)
		}
		m, err := h.Again().Create(h.ctx(), h.spec(name))
		if err != nil {
			t.Fatalf("after one cut after %s: %v", after, err)
		}
		if got := h.run(m, "echo hello"); got != "hello" {
			t.Errorf("got %q", got)
		}
		found, err := h.Provider.List(h.ctx(), labels)
		if err != nil || len(found) != i+1 {
			t.Errorf("%d machines, want %d (%v)", len(found), i+1, err)
		}
	}
}

func createTaken(t *testing.T, h *harness) {
	m := h.create("ship-0")
	for _, other := range []map[string]string{nil, {"install": "i2", "voyage": "voyage-1"}, {"install": "i1"}} {
		spec := h.spec("ship-0")
		spec.Labels = other
		if _, err := h.Provider.Create(h.ctx(), spec); !errors.Is(err, provider.ErrTaken) {
			t.Errorf("labels %v: %v", other, err)
		}
	}
	if again, err := h.Provider.Get(h.ctx(), "ship-0"); err != nil || again.ID != m.ID {
		t.Errorf("the machine changed: %+v, %v", again, err)
	}
}

func createConcurrently(t *testing.T, h *harness) {
	h.destroyLater("ship-0")
	var all sync.WaitGroup
	ids := make([]string, 4)
	for i := range ids {
		all.Go(func() {
			m, err := h.Again().Create(h.ctx(), h.spec("ship-0"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = m.ID
		})
	}
	all.Wait()
	if slices.Sort(ids); ids[0] != ids[len(ids)-1] {
		t.Errorf("machines %v", ids)
	}
}

func createMany(t *testing.T, h *harness) {
	const n = 4
	var all sync.WaitGroup
	for i := range n {
		h.destroyLater(fmt.Sprintf("ship-%d", i))
		all.Go(func() {
			m, err := h.Provider.Create(h.ctx(), h.spec(fmt.Sprintf("ship-%d", i)))
			if err != nil {
				t.Error(err)
				return
			}
			if got := h.run(m, "echo hello"); got != "hello" {
				t.Errorf("%s: got %q", m.Name, got)
			}
		})
	}
	all.Wait()
	found, err := h.Provider.List(h.ctx(), labels)
	if err != nil || len(found) != n {
		t.Errorf("%d machines, %v", len(found), err)
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

func get(t *testing.T, h *harness) {
	if _, err := h.Provider.Get(h.ctx(), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("before: %v", err)
	}
	m := h.create("ship-0")
	for _, p := range []provider.Provider{h.Provider, h.Again()} {
		if got, err := p.Get(h.ctx(), "ship-0"); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, %v, want %+v", got, err, m)
		}
	}
	if _, err := h.Provider.Get(h.ctx(), "ship"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a part of a name: %v", err)
	}
}

func asJSON(t *testing.T, h *harness) {
	m := h.create("ship-0")
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
