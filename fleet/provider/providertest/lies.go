package providertest

import (
	"errors"
	"testing"

	"ocaptain/fleet/provider"
)

// Lie is something that a service says and that is not so.
type Lie string

// The lies.
const (
	Absent    Lie = "a machine is not listed"
	Behind    Lie = "a list is as it was before the last change"
	NotMade   Lie = "a machine was made, and that is refused"
	Destroyed Lie = "a machine is destroyed, and it is not"
	Stays     Lie = "a machine was destroyed, and that is refused"
)

// lies has the service lie whenever a machine is made and destroyed. Destroy is nil only when the machine is
// gone, and whatever it returned before, the machine can be destroyed when the service speaks the truth again.
func lies(t *testing.T, h *harness) {
	for _, made := range []Lie{"", NotMade} {
		for _, lie := range []Lie{Absent, Behind, Destroyed, Stays} {
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
	if !h.There("ship-0") && err != nil && !errors.Is(err, provider.ErrNotFound) && lie != Stays {
		t.Errorf("it is gone, and the error is %v", err)
	}
	for range 2 { // lies that were not told yet
		_ = h.Provider.Destroy(h.ctx(), "ship-0")
	}
	h.gone(h.ctx(), "ship-0")
	if h.There("ship-0") {
		t.Error("it was not found again")
	}
}
