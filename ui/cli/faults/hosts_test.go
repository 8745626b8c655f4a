package faults

import (
	"os"
	"slices"

	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/ui/cli/faults/reader"
)

// hostiles lists misbehaviour of hosts: they do not answer, refuse the login, or claim that they have nothing.
var hostiles = []fault{
	host("is frozen", func(_ *voyage, h *hoststest.Host) func() {
		h.Freeze()
		return h.Thaw
	}),
	host("lets nobody in", func(_ *voyage, h *hoststest.Host) func() {
		undo := h.LetsNobodyIn()
		h.Cut()
		return undo
	}),
	host("has not mounted its home", func(_ *voyage, h *hoststest.Host) func() {
		h.Unmount()
		h.Cut()
		return h.Mount
	}),
	host("says that it has no ships", func(v *voyage, h *hoststest.Host) func() {
		if err := os.Rename(h.Ships(), h.Ships()+"-away"); err != nil {
			v.note("%v", err)
			return nil
		}
		h.Cut()
		return func() { v.putBack(h.Ships()) }
	}),
}

// host is a fault in which one of the hosts misbehaves for less than the time that proves a ship gone. The host must have a
// ship, and no other fault.
func host(name string, begin func(v *voyage, h *hoststest.Host) (end func())) fault {
	return fault{name: "a host " + name, places: []string{"hosts"}, hides: []reader.Claim{reader.Deaths}, strike: func(v *voyage) hit {
		h := v.ground.hosts[v.rng.IntN(len(v.ground.hosts))]
		if len(v.shipsIn(h.Ships(), v.id)) == 0 || slices.Contains(v.unwell, h) {
			return did(false)
		}
		v.note("%s %s", h.Name, name)
		end := begin(v, h)
		if end == nil {
			return did(false)
		}
		v.unwell = append(v.unwell, h)
		return did(true).until(func() {
			end()
			v.unwell = slices.DeleteFunc(v.unwell, func(o *hoststest.Host) bool { return o == h })
		})
	}}
}

// putBack moves a directory back to its place, also when another one was made there meanwhile.
func (v *voyage) putBack(dir string) {
	var err error
	for range 20 {
		if err = os.Rename(dir+"-away", dir); err == nil {
			break
		}
		v.note("it takes the place of another: %v", os.RemoveAll(dir))
	}
	v.note("%s is back: %v", dir, err)
}
