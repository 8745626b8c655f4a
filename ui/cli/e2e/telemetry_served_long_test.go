//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/telemetry"
	"ocaptain/tasks/eventually"
)

// measured compares the exports of a voyage's agents with what the API serves them.
type measured struct {
	*captain
	api *claudetest.API
	dir fleet.Dir
}

func (m *measured) sums() *usage.Sums {
	m.Helper()
	s, err := telemetry.Load(m.dir.Telemetry())
	if err != nil {
		m.Fatal(err)
	}
	return s
}

// served returns the tokens that the API served to agents.
func (m *measured) served() (all usage.Tokens) {
	for _, s := range m.api.Sessions() {
		if s.Said.Answers == 0 { // the proof of the login, which belongs to no agent
			continue
		}
		all.Input += int64(s.Input)
		all.Output += int64(s.Output)
		all.CacheRead += int64(s.Said.CacheRead)
		all.CacheCreation += int64(s.Said.CacheWrite)
	}
	return all
}

// equal reports whether both accounts of the agents equal what was served.
func (m *measured) equal() bool {
	got, served := m.sums().Total(), m.served()
	return got.Tokens == served && got.RequestTokens == served
}

// logsSums logs both accounts when the test fails.
func (m *measured) logsSums(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("served: %+v, received: %+v, %+v", m.served(), m.sums().Total(), m.sums().Count())
		}
	})
}

// home returns the path of a file in the home of a ship.
func (m *measured) home(s fleet.ShipView, file string) string {
	return filepath.Join(m.hub.State, "ships", s.Machine.Name, "home", file)
}

// has reports whether all of these ships have a file in their homes.
func (m *measured) has(ships []fleet.ShipView, file string) bool {
	for _, s := range ships {
		if _, err := os.Stat(m.home(s, file)); err != nil {
			return false
		}
	}
	return true
}

// put writes a file into the homes of ships.
func (m *measured) put(ships []fleet.ShipView, file string) {
	m.Helper()
	for _, s := range ships {
		m.keep(s, file, "")
	}
}

// serves waits until more was served than before, and returns the total.
func (m *measured) serves(what string, before usage.Tokens) (now usage.Tokens) {
	m.Helper()
	m.api.Await(m, what, func() bool { now = m.served(); return now != before })
	return now
}

// settles waits until a ship waits in the command of its task and everything that was served has been received.
func (m *measured) settles(what, ship string) fleet.ShipView {
	m.Helper()
	b := m.until(m.dir, what, func(b fleet.Board) bool { return m.has(named(b, ship), "begun") && m.equal() })
	return named(b, ship)[0]
}

// named returns the ship of that name, or none.
func named(b fleet.Board, name string) []fleet.ShipView {
	for _, s := range b.Ships {
		if s.Name == name {
			return []fleet.ShipView{s}
		}
	}
	return []fleet.ShipView{{}}
}

// killsAgent kills the Claude Code of a ship; the ship starts it again, and it goes on.
func (m *measured) killsAgent(ship string) {
	m.Helper()
	s, before := m.settles(ship+" at work", ship), m.served()
	if err := os.Remove(m.home(s, "begun")); err != nil {
		m.Fatal(err)
	}
	pid := m.claudeOf(s.Machine.Name)
	if pid == 0 {
		m.Fatal("there is no agent to kill")
	}
	kill(pid)
	m.settles(ship+" resumed", ship)
	m.serves("the agent's requests after that", before)
}

// exportsAgain sends all ships' exports to the receiver of one of them once more.
func (m *measured) exportsAgain(t *testing.T, ship string) {
	m.Helper()
	s, was := m.settles(ship+" at work", ship), m.sums()
	m.sendsAgain(t, s)
	eventually.Holds(m, "what came twice", func() bool { return m.sums().Count().Again > was.Count().Again && m.equal() })
}

// goesOnAlone lets a ship go on while helm is dead.
func (m *measured) goesOnAlone(ship string, start ...string) {
	m.Helper()
	s, before := m.settles(ship+" at work", ship), m.served()
	kill(m.helm())
	m.put([]fleet.ShipView{s}, "go")
	m.serves("requests while helm is away", before)
	m.ocaptain(start...)
}

// replaces gives a ship another machine in the middle of its task, which the ship then begins again.
func (m *measured) replaces(ship string) {
	m.Helper()
	s, before := m.settles(ship+" at work", ship), m.served()
	m.ocaptain("ship", "replace", ship, "--force")
	m.until(m.dir, "another machine", func(b fleet.Board) bool {
		return named(b, ship)[0].Machine.Name != s.Machine.Name && named(b, ship)[0].Machine.Name != ""
	})
	m.settles("work on another machine", ship)
	m.serves("its requests", before)
}

// goesOnOffline lets a ship go on while its SSH server hangs.
func (m *measured) goesOnOffline(t *testing.T, ship string) {
	m.Helper()
	s, before := m.settles(ship+" at work", ship), m.served()
	server := m.serverOf(s.Machine.Name)
	asleep(t, server)
	m.put([]fleet.ShipView{s}, "go")
	m.serves("requests while the ship is offline", before)
	wakes(t, server)
}
