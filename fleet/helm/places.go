package helm

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/openssh"
	build "ocaptain/fleet/program"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/local/sandbox"
)

// Places tells helm what the captain has configured about where ships come from. It is asked
// again whenever that matters, as helm outlives many changes.
type Places struct {
	// Hosts returns the entries of "hosts" in config.yaml; nil means none.
	Hosts func() ([]string, error)

	// Bind returns the entries of "local.bind" there, as sandbox.ParseBind returned them; nil means none.
	Bind func() ([]string, error)
	// Expose returns the ports of "local.expose"; nil means none.
	Expose func() ([]int, error)
	// Nested returns "local.nested"; nil means that it is off.
	Nested func() (bool, error)
	// Bounds returns "local.processes", "local.memory" and "local.disk"; nil means the defaults.
	Bounds func() (sandbox.Bounds, error)
}

// providers makes all providers that there are.
func (p Places) providers(hub fleet.Hub, own supervise.Binary, programs Programs) (map[string]provider.Provider, error) {
	here, err := LocalProvider(hub, own.Path, p)
	if err != nil {
		return nil, err
	}
	ashore, err := HostsProvider(hub, p.Hosts, programs)
	if err != nil {
		return nil, err
	}
	return map[string]provider.Provider{here.Name(): here, ashore.Name(): ashore}, nil
}

// Programs returns ocaptain's program for an operating system and architecture as Go names them,
// and the digest of its content.
type Programs func(ctx context.Context, os, arch string) (path, digest string, err error)

// ProgramsOf is where programs for ships of any kind come from.
func ProgramsOf(hub fleet.Hub, own supervise.Binary) Programs {
	s := &build.Source{Own: own.Path, Digest: own.Digest, Version: supervise.Version, Cache: hub.Cache}
	return s.ProgramFor
}

// HasProgram tells where ocaptain for an operating system and architecture would be taken from, or
// why there is none. Nothing is built for that.
func HasProgram(hub fleet.Hub, goos, arch string) (from string, err error) {
	s := &build.Source{Version: supervise.Version, Cache: hub.Cache}
	if goos != runtime.GOOS || arch != runtime.GOARCH {
		own, err := supervise.OwnBinary(hub)
		if err != nil {
			return "", err
		}
		s.Digest = own.Digest
	}
	return s.SourceFor(goos, arch)
}

// HostsProvider is the provider of ships on the captain's hosts.
func HostsProvider(hub fleet.Hub, list func() ([]string, error), programs Programs) (*hosts.Provider, error) {
	if list == nil {
		list = func() ([]string, error) { return nil, nil }
	}
	return hosts.New(hosts.Options{Hosts: list, Config: hub.ConfigFile(), State: filepath.Join(hub.State, "hosts"), Runtime: hub.Runtime, Home: hub.Home, AgentFile: agentFile(hub), Program: programs})
}

// RememberAgent writes down where the captain's ssh-agent is, as helm may have been started before
// it was there.
func RememberAgent(hub fleet.Hub) error {
	return openssh.Remember(agentFile(hub), os.Getenv("SSH_AUTH_SOCK"))
}

func agentFile(hub fleet.Hub) string { return filepath.Join(hub.State, "ssh-agent") }
