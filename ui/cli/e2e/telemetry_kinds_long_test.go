//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks/eventually"
)

// gate is a command that waits until its ship may go on, and runs a script meanwhile when the test gives it one.
const gate = "touch ~/begun; while [ ! -e ~/go ]; do sleep 0.3; test ! -e ~/again || { mv ~/again ~/is; cd ~; sh is >sent 2>&1; cd - >/dev/null; }; done; "

// TestTelemetryOfSession has the real Claude Code plan, work and review while one thing after the other goes wrong: each export of its
// agents counts once, and the sums equal what the API served.
func TestTelemetryOfSession(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	c.ocaptain("start", "--repo", repo, "--agent", "claude", "--workers", "2", "--branch", "feat/ship", "--verify", "test -s ship", "--detach", "--task", handsIn(`
		{"id": "A", "title": "Lay the keel", "description": "RUN: `+gate+`echo keel >keel"},
		{"id": "B", "title": "Sew a sail", "description": "RUN: `+gate+`echo sail >sail"},
		{"title": "Launch her", "depends_on": ["A", "B"], "description": "RUN: cat keel sail >ship"}`))
	m := &measured{captain: c, api: api, dir: c.voyages()[0]}
	m.logsSums(t)
	m.killsAgent("worker-0")
	m.exportsAgain(t, "worker-1")
	m.replaces("worker-0") // while the other worker holds a task, as it would take this one
	m.goesOnAlone("worker-1", "status")
	m.goesOnOffline(t, "worker-0")
	c.allDone(m.dir, 4)
	m.ends(t, []string{"planner-0", "validator-0", "worker-0", "worker-1"}, []string{"1-1", "1-2", "1-3"})
}

// TestTelemetryOfPool does the same to a worker of a pool.
func TestTelemetryOfPool(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		for _, p := range r.Fresh() {
			if p.Type == "tool_result" {
				return loopback.Say("It is done.")
			}
		}
		return loopback.Use("Bash", map[string]any{"command": gate + "rm ~/go ~/begun; echo done >>work", "description": "Do it"})
	})
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	for _, command := range []string{"First", "Second", "Third"} {
		c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", command, "--detach")
	}
	m := &measured{captain: c, api: api, dir: c.voyages()[0]}
	m.logsSums(t)
	m.killsAgent("kite-1")
	m.exportsAgain(t, "kite-1")
	m.goesOnAlone("kite-1", "pool", "status")
	m.replaces("kite-1")
	m.goesOnOffline(t, "kite-1")
	last := m.settles("the last dispatch", "kite-1")
	m.put([]fleet.ShipView{last}, "go")
	c.until(m.dir, "all are done", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 3 })
	m.ends(t, []string{"kite-1"}, []string{"1", "2", "3"})
}

// ends checks the received sums when a voyage is over.
func (m *measured) ends(t *testing.T, ships, tasks []string) {
	t.Helper()
	eventually.Holds(t, "all that was served", m.equal)
	of := map[string]int64{}
	for _, r := range m.sums().Rows() {
		of["ship "+r.Ship] += r.Totals.Tokens.All()
		of["task "+r.Task] += r.Totals.Tokens.All()
	}
	t.Logf("%d were sent twice, tokens are %v", m.sums().Count().Again, of)
	for _, name := range ships {
		if of["ship "+name] == 0 {
			t.Errorf("ship %s used nothing", name)
		}
		delete(of, "ship "+name)
	}
	for _, id := range tasks {
		if of["task "+id] == 0 {
			t.Errorf("task %s used nothing", id)
		}
	}
	for k := range of {
		if strings.HasPrefix(k, "ship ") {
			t.Errorf("there is %s", k)
		}
	}
	if total := m.sums().Total(); total.Cost == 0 || total.Cost != total.RequestCost {
		t.Errorf("received are %+v", total)
	}
}

// sendsAgain sends all exports of a ship to its receiver once more, from aboard, as only the ship itself reaches its
// loopback.
func (m *measured) sendsAgain(t *testing.T, s fleet.ShipView) {
	t.Helper()
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", m.claudeOf(s.Machine.Name)))
	if err != nil {
		t.Fatal(err)
	}
	variable := func(name string) string {
		_, rest, _ := strings.Cut(string(environ), "\x00"+name+"=")
		value, _, _ := strings.Cut(rest, "\x00")
		return value
	}
	header := strings.Replace(variable("OTEL_EXPORTER_OTLP_HEADERS"), "=", ": ", 1)
	files, err := filepath.Glob(filepath.Join(m.dir.Telemetry(), "otlp-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n, script := 0, "set -e\n"
	m.keep(s, "header", header)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			if !bytes.Contains(line, []byte(`{"key":"ocaptain.ship","value":{"stringValue":"`+s.Name+`"}}`)) {
				continue
			}
			path := "/v1/metrics"
			if bytes.HasPrefix(line, []byte(`{"resourceLogs"`)) {
				path = "/v1/logs"
			}
			n++
			m.keep(s, fmt.Sprint("line", n), string(line))
			script += fmt.Sprintf("curl -sSf -H @header -H 'Content-Type: application/json' -d @line%d %s\n", n, variable("OTEL_EXPORTER_OTLP_ENDPOINT")+path)
		}
	}
	m.keep(s, "script", script+"echo sent\n")
	if err := os.Rename(m.home(s, "script"), m.home(s, "again")); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, fmt.Sprint(n, " exports sent once more"), func() bool {
		said, err := os.ReadFile(m.home(s, "sent"))
		return err == nil && bytes.HasSuffix(said, []byte("sent\n"))
	})
}

// keep writes a file into the home of a ship.
func (m *measured) keep(s fleet.ShipView, file, text string) {
	m.Helper()
	if err := os.WriteFile(m.home(s, file), []byte(text), 0o644); err != nil {
		m.Fatal(err)
	}
}

// wakes lets a process go on.
func wakes(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}
