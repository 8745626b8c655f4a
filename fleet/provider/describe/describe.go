// Package describe is what a provider tells of itself before it is made.
package describe

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/fleet/tools"
)

// Provider is what the rest of ocaptain knows about a provider before it makes one.
type Provider struct {
	Name string // the word that the captain uses
	// New makes the provider. It asks nothing of the place.
	New func(Env) (provider.Provider, error)
	// Tailnet says that its ships join the captain's tailnet, where there is a secret for it: machines in the cloud
	// do, the captain's own are where he put them.
	Tailnet bool
	// Arch is the architecture, as Go names it, of all its machines. It is "" when only a machine tells.
	Arch string
	// Here says that its ships are on the captain's machine, and share that: agents are fetched for all of them at once, and what they reach
	// there is bounded.
	Here bool
	// Owned says that its machines are the captain's own, which cost nothing more: what they lack the captain installs.
	Owned bool
	// Where is where its ships are, in words: "on this machine".
	Where string
	// Service is the service that makes its machines, as the captain knows it: "sprites.dev"; "" for
	// none.
	Service string
	// Login finds what opens it; nil where nothing needs to. The error is a *Fault.
	Login func(Captain) (Login, error)
	// Variables are the environment variables that it reads.
	Variables []Variable
	// Settings are its texts in config.yaml.
	Settings []Setting
	// Places finds out about its machines; nil where it makes them. Sample is the line of config.yaml that names machines, for example.
	Places func(Env) (Places, error)
	Sample string
	// Parts are what ocaptain runs there.
	Parts []Part
	// Title is that of its page of help, which bears its name; "" for none.
	Title string
	// Tools are programs that the captain's machine needs for its ships, beside git.
	Tools []tools.Tool
	// Used reports whether this install may have made a machine there, where to ask for machines means to log in; nil
	// where asking costs nothing.
	Used func(fleet.Hub) bool
	// Awake returns what keeps the machine that it is called on from being paused, nil where that is no machine of the provider; nil
	// where machines are never paused.
	Awake func() KeepAwake
	// Many says that to ask for machines means to log in to each of several machines of the captain's.
	Many bool
}

// Env is what providers are made from.
type Env struct {
	Hub      fleet.Hub
	Install  string // id of the install
	Exe      string // ocaptain's program for ships on this machine; "" for the program that runs
	Program  Program
	Settings Settings
}

// Program returns ocaptain's program for an operating system and architecture as Go names them,
// and the digest of its content.
type Program func(ctx context.Context, os, arch string) (path, digest string, err error)

// Settings tells what the captain has configured about providers. It is asked again whenever that
// matters, as helm outlives many changes.
type Settings struct {
	// Hosts returns the entries of "hosts" in config.yaml; nil means that there are none.
	Hosts func() ([]string, error)

	// Bind returns the entries of "local.bind" there, as sandbox.ParseBind returned them; nil means that there are none.
	Bind func() ([]string, error)
	// Expose returns the ports of "local.expose"; nil means that there are none.
	Expose func() ([]int, error)
	// Nested returns "local.nested"; nil means that it is off.
	Nested func() (bool, error)
	// Bounds returns "local.processes", "local.memory" and "local.disk"; nil means the defaults.
	Bounds func() (sandbox.Bounds, error)
}
