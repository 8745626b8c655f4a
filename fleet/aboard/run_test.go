package aboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// The agent gets the terminal, its secrets and its session; what ends it starts it
// again; ctrl-c and ctrl-z in it do not end the ship.
func TestRunner(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"EXTRA": "yes"} })
	fakeClaude(t, dir, "")
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-0123456789-0123456789"}); err != nil {
		t.Fatal(err)
	}
	w := newWindow(t, dir)
	w.run()
	aboardtest.Await(t, "the agent", func() bool { return len(calls(dir)) == 1 && w.state().Agent.Alive() })
	first := calls(dir)[0]
	for _, want := range []string{
		"ANTHROPIC_API_KEY=sk-ant-0123456789-0123456789", "EXTRA=yes", "CLAUDE_CODE_TASK_LIST_ID=voyage-1-tasks",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "ENABLE_TOOL_SEARCH=false", "DISABLE_AUTOUPDATER=1", "OCAPTAIN_SHIP=ship-0",
	} {
		if !slices.Contains(first.Env, want) {
			t.Errorf("the agent's environment misses %s", want)
		}
	}
	line := strings.Join(first.Args, " ")
	if !strings.HasSuffix(line, "-- Begin.") || !strings.Contains(line, "--session-id ") || !strings.Contains(line, "--name ship-0") {
		t.Errorf("the agent was called with %s", line)
	}
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", w.state().Runner.PID)); err != nil || strings.Contains(string(raw), "sk-ant") {
		t.Errorf("the secret is in the runner's environment (%v)", err)
	}
	aboardtest.Await(t, "the window's name", func() bool { return w.name() == "agent:running" })

	w.must("send-keys", "-t", "claude", "hello", "Enter")
	aboardtest.Await(t, "what is typed", func() bool { return strings.Contains(w.screen(), "heard hello") })
	w.must("send-keys", "-t", "claude", "C-z")
	w.must("send-keys", "-t", "claude", "after", "Enter")
	aboardtest.Await(t, "the agent after ctrl-z", func() bool { return strings.Contains(w.screen(), "heard after") })

	// The second start takes the session up again, since it has a transcript by now.
	session := first.Args[slices.Index(first.Args, "--session-id")+1]
	transcript := filepath.Join(dir, ".claude", "projects", "-w", session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(transcript), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(transcript, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteFile(shipdir.Dir(dir).Session(), session+"\n"); err != nil {
		t.Fatal(err)
	}
	old := w.state().Agent
	w.must("send-keys", "-t", "claude", "C-c") // kills a program that does not care for it
	aboardtest.Await(t, "the second start", func() bool { return len(calls(dir)) == 2 && w.state().Agent.Alive() && w.state().Agent != old })
	if got := strings.Join(calls(dir)[1].Args, " "); !strings.Contains(got, "--resume "+session) {
		t.Errorf("the second call is %s", got)
	}
	started := aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)
	exited := aboardtest.JournalOf[proto.AgentExited](t, dir, proto.KindAgentExited)
	if len(started) != 2 || !started[1].Resumed || started[1].Start != 2 || len(exited) != 1 || exited[0].Signal != "SIGINT" || exited[0].Next != time.Second {
		t.Errorf("journal has %+v and %+v", started, exited)
	}

	if err := w.state().Runner.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	aboardtest.Await(t, "the end", func() bool {
		return w.name() == "agent:completed" && strings.Contains(w.screen(), "the claude agent of ship-0 has ended: it was stopped")
	})
	w.must("send-keys", "-t", "claude", "echo $((6*7)) ${ANTHROPIC_API_KEY:-clean}", "Enter")
	aboardtest.Await(t, "the shell", func() bool { return strings.Contains(w.screen(), "42 clean") })
}

// An agent that keeps dying is given up, and one that cannot be started is not tried.
func TestRunnerGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		key    string
		starts int
		reason string
	}{
		"dies":          {"echo boom; exit 4", "k", 5, "it died 5 times in a row, at last with exit code 4"},
		"wrong version": {"", "k", 0, `claude is version "2.1.3290"`},
		"not there":     {"", "k", 0, "claude is not installed on the ship"},
		"no key":        {"", "", 0, "claude has no key: set CLAUDE_CODE_OAUTH_TOKEN"},
		"open secrets":  {"", "", 0, "is open to others: chmod 600 it"},
		"unknown agent": {"", "", 0, "choose one of amp, claude"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := aboardtest.NewShip(t, nil)
			t.Setenv("PATH", "/usr/bin:/bin")
			t.Setenv("ANTHROPIC_API_KEY", c.key)
			switch name {
			case "dies":
				fakeClaude(t, dir, c.script)
			case "open secrets":
				if err := os.WriteFile(shipdir.Dir(dir).Secrets(), []byte("{}"), 0o644); err != nil {
					t.Fatal(err)
				}
			case "unknown agent":
				if err := shipdir.WriteJSON(shipdir.Dir(dir).Ship(), proto.Ship{Voyage: "v", Name: "ship-0", Agent: "cobol"}); err != nil {
					t.Fatal(err)
				}
			case "wrong version":
				fakeClaude(t, dir, "")
				path := filepath.Join(dir, ".ocaptain", "bin", "claude")
				raw, _ := os.ReadFile(path)
				if err := os.WriteFile(path, []byte(strings.Replace(string(raw), "2.1.329", "2.1.3290", 1)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r, err := newRunner(shipdir.Dir(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer r.close()
			r.tty.fd = -1
			r.rhythm.pauses = []time.Duration{1, 1, 1, 1}
			end := r.keepGoing(t.Context())
			if !end.Final || !strings.Contains(end.Reason, c.reason) {
				t.Errorf("it ended with %+v", end)
			}
			if n := len(aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)); n != c.starts {
				t.Errorf("%d starts", n)
			}
			if end.State() != proto.StateFailed {
				t.Error("that is not a failure")
			}
		})
	}
}

// Two runners on one ship would be two agents in one tree.
func TestOneRunner(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	r, err := newRunner(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newRunner(shipdir.Dir(dir)); err == nil {
		t.Error("a second runner started")
	}
	r.close()
	if r, err = newRunner(shipdir.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	r.close()
}

// Messages reach the agent's terminal as text; the pulse tells what lives.
func TestSayAndPulse(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	fakeClaude(t, dir, "")
	w := newWindow(t, dir)
	helm := newHelm(t, task("1"))
	helm.connect(dir)
	last := func() proto.Pulse {
		helm.mu.Lock()
		defer helm.mu.Unlock()
		if len(helm.pulses) == 0 {
			return proto.Pulse{}
		}
		return helm.pulses[len(helm.pulses)-1]
	}
	w.run()
	aboardtest.Await(t, "a pulse of all", func() bool { p := last(); return p.Pane && p.Runner && p.Agent })

	aboardtest.Await(t, "its prompt", func() bool { return strings.Contains(w.screen(), "❯") })
	waiting := make(chan reply, 1)
	go func() { waiting <- fire(t, dir, "Stop", map[string]any{"hook_event_name": "Stop"}) }()
	aboardtest.Await(t, "the wait", func() bool { return strings.HasSuffix(helm.states(), "idle") })
	var said proto.Said
	text := "x$(touch$IFS/x);C-c\x1b[201~\x03"
	go func() { // the agent's hook, as Claude Code would fire it
		aboardtest.Await(t, "the text", func() bool { return strings.Contains(w.screen(), "heard ") })
		fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "x$(touch$IFS/x);C-c[201~"})
	}()
	if err := helm.conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: text}, &said); err != nil || !said.Heard {
		t.Errorf("said %+v, %v", said, err)
	}
	if !strings.Contains(w.screen(), "heard x$(touch$IFS/x);C-c[201~") {
		t.Errorf("the screen shows\n%s", w.screen())
	}
	if r := <-waiting; r != (reply{}) {
		t.Errorf("the waiting hook answered %+v", r)
	}
	for _, bad := range []string{"", "\x1b\x03", strings.Repeat("x", maxSay+1)} {
		if err := helm.conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: bad}, nil); err == nil {
			t.Errorf("%.10q was taken", bad)
		}
	}

	if err := helm.conn.Call(t.Context(), proto.MethodStop, struct{}{}, nil); err != nil {
		t.Error(err)
	}
	aboardtest.Await(t, "the end of the agent", func() bool { p := last(); return p.Runner && !p.Agent })
	ends := func() []proto.AgentExited { return seen[proto.AgentExited](helm, proto.KindAgentExited) }
	aboardtest.Await(t, "its record", func() bool { return len(ends()) > 0 }) // which a pulse may overtake
	if end := ends(); len(end) != 1 || !end[0].Final {
		t.Errorf("ends are %+v", end)
	}
	_ = w.tmux("kill-server").Run()
	aboardtest.Await(t, "a pulse of nothing", func() bool { p := last(); return !p.Pane && !p.Runner })
	if err := helm.conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: "hello"}, nil); err == nil {
		t.Error("a message went nowhere and nobody said so")
	}
}
