package hosts

import (
	"context"
	"os"
	"path/filepath"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tools"
)

// Descriptor describes this provider.
var Descriptor = describe.Provider{
	Name: "hosts", Owned: true, Many: true, Where: "on your hosts", Title: "Ships on machines of your own", Tools: []tools.Tool{tools.SSH},
	New:    func(e describe.Env) (provider.Provider, error) { return Of(e) },
	Places: func(e describe.Env) (describe.Places, error) { return Of(e) },
	Sample: "hosts: [user@host]",
	Parts: []describe.Part{{Name: "hosted", Short: "What the hub wants of the ships on this host", Run: func(ctx context.Context, home string) error {
		return Serve(ctx, home, os.Stdin, os.Stdout)
	}}},
}

// Of returns the provider of ships on the captain's hosts.
func Of(e describe.Env) (*Provider, error) {
	list := e.Settings.Hosts
	if list == nil {
		list = func() ([]string, error) { return nil, nil }
	}
	h := e.Hub
	return New(Options{
		Hosts: list, Config: h.ConfigFile(), State: filepath.Join(h.State, "hosts"), Runtime: h.Runtime, Home: h.Home,
		AgentFile: openssh.AgentFile(h.State), Program: e.Program,
	})
}
