package providertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

// Lie is a wrong answer of a service.
type Lie string

// The lies.
const (
	Absent    Lie = "a machine is not listed"
	Behind    Lie = "a list is as it was before the last change"
	NotMade   Lie = "a machine was made, and that is refused"
	Destroyed Lie = "a machine is destroyed, and it is not"
	Stays     Lie = "a machine was destroyed, and that is refused"
	Existed   Lie = "a machine was made, and is said to have been there before"
	Formless  Lie = "an answer is no list"
)

// lies makes the service lie whenever a machine is made and destroyed. Destroy must return nil only when the machine
// is gone. Whatever it returned before, it can destroy the machine when the service tells the truth again.
func lies(t *testing.T, h *harness) {
	for _, made := range []Lie{"", NotMade, Existed} {
		for _, lie := range []Lie{Absent, Behind, Destroyed, Stays, Formless} {
			if h.Lies[lie] == nil || made != "" && h.Lies[made] == nil {
				continue
			}
			t.Run(string(made+"; "+lie), func(t *testing.T) { h.lied(t, made, lie) })
		}
	}
}

func (h *harness) lied(t *testing.T, made, lie Lie) {
	if made != "" {
		h.Lies[made]()
		h.Lies[Absent]() // before the machine is requested
		h.Lies[Absent]()
	}
	_, err := h.Provider.Create(h.ctx(), h.spec("ship-0"))
	if made == "" && err != nil {
		t.Fatal(err)
	}
	if !h.There("ship-0") {
		t.Fatal("nothing was made")
	}
	h.Lies[lie]()
	err = h.Provider.Destroy(h.ctx(), "ship-0")
	if h.Truth != nil {
		h.Truth()
	}
	if err == nil && h.There("ship-0") {
		t.Error("it is there, and said to be gone")
	}
	if made == "" && lie == Formless && errors.Is(err, provider.ErrNotFound) {
		t.Error("nothing was told, and it is said not to be listed")
	}
	if !h.There("ship-0") && err != nil && !errors.Is(err, provider.ErrNotFound) && lie != Stays {
		t.Errorf("it is gone, and the error is %v", err)
	}
	for range 2 { // the second time, with lies that were not told yet
		_ = h.Provider.Destroy(h.ctx(), "ship-0")
	}
	h.gone(h.ctx(), "ship-0")
	if h.There("ship-0") {
		t.Error("it was not found again")
	}
}

// unmarked removes the mark of a machine that is ours: the machine must neither be destroyed nor be said to be gone.
func unmarked(t *testing.T, h *harness) {
	if h.Unmark == nil {
		return
	}
	h.create("ship-0")
	mark := h.Unmark("ship-0")
	defer mark()
	for range 2 {
		if err := h.Provider.Destroy(h.ctx(), "ship-0"); err == nil || errors.Is(err, provider.ErrNotFound) || !h.There("ship-0") {
			t.Errorf("destroyed: %v; there: %t", err, h.There("ship-0"))
		}
	}
}

// comesBack makes a destroyed machine exist again: it must be found and destroyed until it is forgotten.
func comesBack(t *testing.T, h *harness) {
	if h.Return == nil {
		if late := h.Provider.Limits().Late; late != 0 {
			t.Errorf("it may be made %s late", late)
		}
		return
	}
	if h.Provider.Limits().Late == 0 {
		t.Error("nothing tells how late a machine may be made")
	}
	h.create("ship-0")
	for n := range 3 {
		if n > 0 {
			h.Return("ship-0")
		}
		if err := h.Provider.Destroy(h.ctx(), "ship-0"); err != nil && !errors.Is(err, provider.ErrNotFound) || h.There("ship-0") {
			t.Fatalf("destroyed: %v; there: %t", err, h.There("ship-0"))
		}
	}
}

// SaysNothing checks that every call which looks for a machine returns an error while the service gives useless
// answers.
func SaysNothing(t *testing.T, p provider.Provider, name string) {
	t.Helper()
	for what, look := range map[string]func(context.Context) error{
		"get":     func(ctx context.Context) error { _, err := p.Get(ctx, name); return err },
		"list":    func(ctx context.Context) error { _, err := p.(provider.AllLister).ListAll(ctx, ""); return err },
		"destroy": func(ctx context.Context) error { return p.Destroy(ctx, name) },
	} {
		if err := look(eventually.Brief(t, time.Minute)); err == nil || errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
