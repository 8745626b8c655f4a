package local

import (
	"context"
	"path/filepath"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tools"
)

// Descriptor describes this provider.
var Descriptor = describe.Provider{
	Name: "local", Here: true, Owned: true, Where: "on this machine", Tools: tools.OfShips(),
	New: func(e describe.Env) (provider.Provider, error) { return Of(e) },
	Parts: []describe.Part{{Name: "sshd", Short: "The SSH server of a ship on this machine", Run: func(ctx context.Context, _ string) error {
		return Serve(ctx)
	}}},
}

// Of returns the provider of ships on this machine. Of the captain's files, ships can read only the agents that the
// hub has downloaded and the paths of the setting bind; of the machine's ports, they reach only those of the setting
// expose.
func Of(e describe.Env) (*Provider, error) {
	h := e.Hub
	if err := h.MakeCache(); err != nil {
		return nil, err
	}
	return New(Options{
		Root:     filepath.Join(h.State, "ships"),
		Runtime:  h.Runtime,
		Exe:      e.Exe,
		Digest:   e.Digest,
		Args:     []string{"aboard", "sshd"},
		Hide:     []string{h.State, h.Voyages, h.Config},
		ReadOnly: []string{h.Agents()},
		Bind:     e.Settings.Bind,
		Expose:   e.Settings.Expose,
		Bounds:   e.Settings.Bounds,
		Nested:   e.Settings.Nested,
		Env:      map[string]string{"OCAPTAIN_AGENTS": h.Agents()},
	})
}
