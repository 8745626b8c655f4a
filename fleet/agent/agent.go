// Package agent knows the programs that code: how each is started on a ship, what
// it must find there, and how its sessions are taken up again.
package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/fetch"
	"ocaptain/tasks/pattern"
)

// Agent is what ocaptain knows about one program.
type Agent struct {
	Name string

	// Hooks says that the program claims, completes and reports through hooks. One
	// without them uses "ocaptain task".
	Hooks bool

	// Talks says that it takes messages typed into its terminal.
	Talks bool

	// Box is the input line into which messages are typed; nil for an input line like a terminal's
	// own.
	Box *Box

	// Finishes says that a clean exit means that its work is done.
	Finishes bool

	// Turns says that every start is one turn: a clean exit means that the turn is over,
	// and the next prompt is the next start.
	Turns bool

	// Read takes in a line of its structured output; false means that the line is text.
	// Nil for a program that prints text alone. It matters for Turns only.
	Read func(line []byte) ([]agentlog.Event, bool)

	// Pass names variables that it gets as well where they are set.
	Pass []string

	// Keys names the variables that hold a key. The agent needs one of them; none if Keys is empty.
	Keys []string

	// Login is a file in the home directory that makes up for a missing key, or "".
	Login string

	// Prepare puts the files in place that it must find; it is called before every start.
	Prepare func(Setup) error

	// Command tells how to start it.
	Command func(Setup) Command

	// Resumable reports whether a session can be taken up again.
	Resumable func(home, session string) bool

	// Transcript tells where it writes down what it does; nil when it does not. What it
	// did is then logged by its hooks, as far as it has them.
	Transcript *agentlog.Transcript

	// Longest is how long its service's longest usage limit lasts; a week when it is 0.
	Longest time.Duration

	// Version is the command that prints its version; nil when it is part of ocaptain.
	Version []string

	// Tested is the version that ocaptain is tested with, "" when it is part of ocaptain.
	Tested string

	// Only is the one version that will do, "" for any.
	Only string

	// Packaged says that its program is one of those in packages, and is fetched from there: that of Release. Install is
	// the captain's own command instead, as a POSIX shell script for ships, "" for none.
	Packaged bool
	Release  packages.Release
	Install  string

	// Headless is how it works without a terminal, nil when it cannot.
	Headless *Headless
}

// LongestLimit is after how long a usage limit of the agent's service has passed whatever it says.
func (a Agent) LongestLimit() time.Duration {
	const week, slack = 7 * 24 * time.Hour, time.Hour
	return cmp.Or(a.Longest, week) + slack
}

// At returns the agent as it is in a release, which nothing else will do for then.
func (a Agent) At(r packages.Release) Agent {
	if r.Version != "" {
		a.Only, a.Release = r.Version, r
	}
	return a
}

// Gets is the version that ships get, "" for an agent that does not come from packages.
func (a Agent) Gets() string { return cmp.Or(a.Release.Version, a.Tested) }

// Program returns the program that ships get, for a machine as "uname -m" calls it there.
func (a Agent) Program(machine string) (fetch.Program, error) {
	return packages.ProgramFor(a.Name, machine, a.Release)
}

var someVersion = pattern.New(`\d+\.\d+([.+-]?[0-9A-Za-z]+)*`)

// VersionIn finds the version in what the command Version printed, "" when there is none.
func VersionIn(output string) string { return someVersion().FindString(output) }

// Check says what is wrong with what the command Version printed. That of the captain's own agents need only succeed.
func (a Agent) Check(output string) error {
	switch version := VersionIn(output); {
	case !a.Packaged:
		return nil
	case version == "":
		return fmt.Errorf("%s does not tell its version but %.80q", a.Name, output)
	case a.Only != "" && version != a.Only:
		return fmt.Errorf("%s is version %.40q, and ships get %s", a.Name, version, a.Only)
	}
	return nil
}

// Key returns which of its variables the program logs in with, by their values; "" when none is set.
func (a Agent) Key(value func(name string) string) string {
	for _, name := range a.Keys {
		if value(name) != "" {
			return name
		}
	}
	return ""
}

// Setup is what a start depends on.
type Setup struct {
	Home      string            // of the ship's user
	Ocaptain  string            // absolute path of the ocaptain binary on the ship
	Voyage    string            // id
	Ship      string            // name
	List      string            // id of the voyage's task list, "" for an agent that claims nothing
	Workspace string            // absolute path
	Model     string            // "" for the program's own choice
	Session   string            // id to start with or to take up
	Resume    bool              // take the session up again
	First     string            // what it is told first
	Root      bool              // the ship's user is root
	Env       map[string]string // that the ship gives its agent, nothing secret
	Secrets   map[string]string // by variable; they reach the program by the environment alone
	Telemetry Telemetry
	Search    bool // it is given tools that find code
	Tools     Tools
	Notebooks bool // there are some in the workspace
}

// Command is a program with its environment.
type Command struct {
	Args  []string
	Env   map[string]string // beside the ship's own and the secrets
	Stdin string            // what a turn reads; other programs have the terminal
}

var all = []Agent{amp, claude, codex, copilot, gemini, opencode, script}

// TakesMessages reports whether the agent can be told something: in its terminal, or by the prompt of its next turn.
func (a Agent) TakesMessages() bool { return a.Talks || a.Turns }

// RunsModel reports whether a model decides on what it does, so that walls must hold it. One
// without a model runs nothing but what the plan says.
func (a Agent) RunsModel() bool { return a.Name != script.Name }

// Lookup returns the agent of that name.
func Lookup(name string) (Agent, error) {
	for _, a := range all {
		if a.Name == name {
			return a, nil
		}
	}
	return Agent{}, fmt.Errorf("agent %q is not known: choose one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the agents in alphabetical order.
func Names() []string {
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}
