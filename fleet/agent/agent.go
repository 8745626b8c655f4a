// Package agent knows the programs that code: how to start each on a ship, which files it needs there, and how to
// resume its sessions.
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

	// Hooks says that the program claims, completes and reports through hooks. A program without hooks uses "ocaptain
	// task".
	Hooks bool

	// Talks says that messages can be typed into the program's terminal.
	Talks bool

	// Box describes the input line into which messages are typed; nil for a plain line of a terminal.
	Box *Box

	// Finishes says that the program exits with 0 when its work is done.
	Finishes bool

	// Turns says that the program is started once for each turn, with the prompt, and exits with 0 when the turn is over.
	Turns bool

	// Read decodes a line of the program's structured output; it returns false for a line of plain text. It is nil for a
	// program that prints only plain text, and used only with Turns.
	Read func(line []byte) ([]agentlog.Event, bool)

	// Pass names further environment variables that the program gets if they are set.
	Pass []string

	// Keys names the variables that can hold the program's key. The program needs one of them, or none if Keys is empty.
	Keys []string

	// Switches names those of Keys that hold no secret: they have the program log in with another account.
	Switches []string

	// Login is a file in the home directory that can replace a key, "" for none.
	Login string

	// Prepare writes files that the program needs; it is called before every start.
	Prepare func(Setup) error

	// Command returns the command that starts the program.
	Command func(Setup) Command

	// Resumable reports whether a session can be resumed.
	Resumable func(home, session string) bool

	// Transcript says where the program writes transcripts; nil if it writes none. In that case the program's hooks log
	// what it does.
	Transcript *agentlog.Transcript

	// Longest is how long a usage limit of its service lasts at most; 0 means a week.
	Longest time.Duration

	// Version is the command that prints its version; nil when it is part of ocaptain.
	Version []string

	// Tested is the version that ocaptain is tested with, "" when it is part of ocaptain.
	Tested string

	// Only is the one version that ocaptain accepts, "" for any.
	Only string

	// Packaged says that the program is in package packages; Release says which version to download. Install is the
	// captain's own command to install it, as a POSIX shell script for ships, "" for none.
	Packaged bool
	Release  packages.Release
	Install  string

	// Headless says how the program works without a terminal, nil if it cannot.
	Headless *Headless
}

// LongestLimit returns after how long a usage limit of the agent's service has ended, whatever the service said.
func (a Agent) LongestLimit() time.Duration {
	const week, slack = 7 * 24 * time.Hour, time.Hour
	return cmp.Or(a.Longest, week) + slack
}

// At returns the agent in that release, which is then the only version that ocaptain accepts.
func (a Agent) At(r packages.Release) Agent {
	if r.Version != "" {
		a.Only, a.Release = r.Version, r
	}
	return a
}

// Gets returns the version that ships get, "" for an agent that is not in packages.
func (a Agent) Gets() string { return cmp.Or(a.Release.Version, a.Tested) }

// Program returns the program that ships get. machine is the output of "uname -m".
func (a Agent) Program(machine string) (fetch.Program, error) {
	return packages.ProgramFor(a.Name, machine, a.Release)
}

var someVersion = pattern.New(`\d+\.\d+([.+-]?[0-9A-Za-z]+)*`)

// VersionIn returns the version in what the command Version printed, "" if there is none.
func VersionIn(output string) string { return someVersion().FindString(output) }

// Check returns an error if what the command Version printed is not an accepted version. For the captain's own
// agents, any output is accepted.
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

// Key returns the name of the variable that the program logs in with, "" if none of Keys is set. value returns a
// variable's value.
func (a Agent) Key(value func(name string) string) string {
	for _, name := range a.Keys {
		if value(name) != "" {
			return name
		}
	}
	return ""
}

// Setup holds the settings of one start of an agent.
type Setup struct {
	Home      string            // of the ship's user
	Ocaptain  string            // absolute path of the ocaptain binary on the ship
	Voyage    string            // id
	Ship      string            // name
	List      string            // id of the voyage's task list, "" for an agent that does not claim tasks
	Workspace string            // absolute path
	Model     string            // "" for the program's own choice
	Session   string            // id of the session to start or to resume
	Resume    bool              // resume the session
	First     string            // the first prompt
	Root      bool              // the ship's user is root
	Env       map[string]string // variables that the ship sets for its agent; no secrets
	Secrets   map[string]string // by variable; the program gets them only by its environment
	Telemetry Telemetry
	Search    bool // give the agent tools that search code
	Tools     Tools
	Notebooks bool // the workspace contains notebooks
}

// Command is a program with its environment.
type Command struct {
	Args  []string
	Env   map[string]string // in addition to the variables of the ship and the secrets
	Stdin string            // the prompt of a turn; other programs read from the terminal
}

var all = []Agent{amp, claude, codex, copilot, gemini, opencode, script}

// TakesMessages reports whether the agent can get messages: in its terminal, or as the prompt of its next turn.
func (a Agent) TakesMessages() bool { return a.Talks || a.Turns }

// RunsModel reports whether a model decides what the agent does, so that checks need a sandbox. The script agent runs
// only commands of the plan.
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
