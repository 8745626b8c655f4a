package providertest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

func createAnswers(t *testing.T, h *harness, m provider.Machine) {
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

func createAgain(t *testing.T, h *harness, m provider.Machine) {
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

// A Create may be interrupted at any moment, and must be possible to finish.
func createAfterCancel(t *testing.T, h *harness) {
	for i, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		name := fmt.Sprintf("ship-%d", i)
		h.destroyLater(name)
		_, err := h.Provider.Create(eventually.Brief(t, after), h.spec(name))
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

func createTaken(t *testing.T, h *harness, m provider.Machine) {
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
