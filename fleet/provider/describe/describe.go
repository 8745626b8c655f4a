// Package describe holds what is known of a provider before it is made.
package describe

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/fleet/tools"
)

// Provider describes a provider.
type Provider struct {
	Name string // the captain's word for it
	// New makes the provider, without connecting to anything.
	New func(Env) (provider.Provider, error)
	// Tailnet says that its ships join the captain's tailnet, if he has configured a secret for that. Machines in the
	// cloud do; the captain's own machines are in his network already.
	Tailnet bool
	// Arch is the architecture of all its machines, named as Go does, "" if machines differ.
	Arch string
	// Here says that its ships are on the captain's machine. Agents are downloaded for all of these at once, and what they can reach there
	// is restricted.
	Here bool
	// Owned says that its machines belong to the captain, so that they cost nothing extra, and he installs what they
	// lack.
	Owned bool
	// Where says in words where its ships are, such as "on this machine".
	Where string
	// Service is the captain's name for the service that makes its machines, such as "sprites.dev"; "" for none.
	Service string
	// Login finds the login for the provider; nil if it needs none. Its error is a *Fault.
	Login func(Captain) (Login, error)
	// Variables are the environment variables that it reads.
	Variables []Variable
	// Settings are its settings in config.yaml.
	Settings []Setting
	// Places returns what inspects its existing machines; nil if it makes its machines. Sample is an example of the line in config.yaml
	// that names machines.
	Places func(Env) (Places, error)
	Sample string
	// Parts are the commands that ocaptain runs there.
	Parts []Part
	// Title is the title of its help page, which has the name of the provider; "" for none.
	Title string
	// Tools are the programs, apart from git, that the captain's machine needs for its ships.
	Tools []tools.Tool
	// Used reports whether this install may have made a machine there, for a provider that has to log in to ask; nil if
	// asking is free.
	Used func(fleet.Hub) bool
	// Awake, called on a ship, returns the function that keeps its machine from being paused, nil if the machine is not of this
	// provider. Awake is nil for a provider that never pauses machines.
	Awake func() KeepAwake
	// Many says that asking for machines means to log in to each of the captain's machines.
	Many bool
}

// Env holds what is needed to make a provider.
type Env struct {
	Hub      fleet.Hub
	Install  string // id of the install
	Exe      string // path of the ocaptain program for ships on this machine; "" for the running program
	Digest   string // of the content of Exe, as in its name on ships
	Program  Program
	Settings Settings
}

// Program returns the path of the ocaptain program for an operating system and architecture, named as Go does, and
// the digest of its content.
type Program func(ctx context.Context, os, arch string) (path, digest string, err error)

// Settings are the captain's settings of providers. The functions are called whenever a setting is needed, since helm
// outlives many changes of settings.
type Settings struct {
	// Hosts returns the entries of "hosts" in config.yaml; a nil function means none.
	Hosts func() ([]string, error)

	// Bind returns the entries of "local.bind" in the form of sandbox.ParseBind; a nil function means none.
	Bind func() ([]string, error)
	// Expose returns the ports of "local.expose"; a nil function means none.
	Expose func() ([]int, error)
	// Nested returns "local.nested"; a nil function means that it is off.
	Nested func() (bool, error)
	// Bounds returns "local.processes", "local.memory" and "local.disk"; a nil function means the defaults.
	Bounds func() (sandbox.Bounds, error)
}
