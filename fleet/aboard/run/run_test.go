package run

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
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// The agent gets the terminal, its secrets and its session. The runner restarts an agent that ends. Ctrl-c and ctrl-z
// in the agent do not end the ship.
func TestRunner(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"EXTRA": "yes"} })
	aboardtest.PutClaude(t, dir, "")
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-0123456789-0123456789"}); err != nil {
		t.Fatal(err)
	}
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "the agent", func() bool { return len(aboardtest.Calls(dir)) == 1 && w.Running().Agent.Alive() })
	first := aboardtest.Calls(dir)[0]
	for _, want := range []string{
		"ANTHROPIC_API_KEY=sk-ant-0123456789-0123456789", "EXTRA=yes", "CLAUDE_CODE_TASK_LIST_ID=voyage-1-tasks",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "ENABLE_TOOL_SEARCH=false", "DISABLE_AUTOUPDATER=1", "OCAPTAIN_SHIP=ship-0", "GIT_EDITOR=true",
	} {
		if !slices.Contains(first.Env, want) {
			t.Errorf("the agent's environment misses %s", want)
		}
	}
	line := strings.Join(first.Args, " ")
	if !strings.HasSuffix(line, "-- Begin.") || !strings.Contains(line, "--session-id ") || !strings.Contains(line, "--name ship-0") {
		t.Errorf("the agent was called with %s", line)
	}
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", w.Running().Runner.PID)); err != nil || strings.Contains(string(raw), "sk-ant") {
		t.Errorf("the secret is in the runner's environment (%v)", err)
	}
	eventually.Holds(t, "the window's name", func() bool { return w.Name() == "agent:running" })

	w.Must("send-keys", "-t", "claude", "hello", "Enter")
	eventually.Holds(t, "what is typed", func() bool { return strings.Contains(w.Screen(), "heard hello") })
	w.Must("send-keys", "-t", "claude", "C-z")
	w.Must("send-keys", "-t", "claude", "after", "Enter")
	eventually.Holds(t, "the agent after ctrl-z", func() bool { return strings.Contains(w.Screen(), "heard after") })

	// The second start continues the session, since it has a transcript by now.
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
	old := w.Running().Agent
	w.Must("send-keys", "-t", "claude", "C-c") // ends a program that does not handle it
	eventually.Holds(t, "the second start", func() bool {
		return len(aboardtest.Calls(dir)) == 2 && w.Running().Agent.Alive() && w.Running().Agent != old
	})
	if got := strings.Join(aboardtest.Calls(dir)[1].Args, " "); !strings.Contains(got, "--resume "+session) {
		t.Errorf("the second call is %s", got)
	}
	started := aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)
	exited := aboardtest.JournalOf[proto.AgentExited](t, dir, proto.KindAgentExited)
	if len(started) != 2 || !started[1].Resumed || started[1].Start != 2 || len(exited) != 1 || exited[0].Signal != "SIGINT" || exited[0].Next != time.Second {
		t.Errorf("journal has %+v and %+v", started, exited)
	}

	if err := w.Running().Runner.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the end", func() bool {
		return w.Name() == "agent:completed" && strings.Contains(w.Screen(), "the claude agent of ship-0 has ended: it was stopped")
	})
	w.Must("send-keys", "-t", "claude", "echo $((6*7)) ${ANTHROPIC_API_KEY:-clean}", "Enter")
	eventually.Holds(t, "the shell", func() bool { return strings.Contains(w.Screen(), "42 clean") })
}

// The runner gives up an agent that keeps dying. It does not try an agent that cannot be started.
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
				aboardtest.PutClaude(t, dir, c.script)
			case "open secrets":
				if err := os.WriteFile(shipdir.Dir(dir).Secrets(), []byte("{}"), 0o644); err != nil {
					t.Fatal(err)
				}
			case "unknown agent":
				if err := shipdir.WriteJSON(shipdir.Dir(dir).Ship(), proto.Ship{Voyage: "v", Name: "ship-0", Agent: "cobol"}); err != nil {
					t.Fatal(err)
				}
			case "wrong version":
				aboardtest.PutClaude(t, dir, "")
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
			if end.FinalState() != proto.StateFailed {
				t.Error("that is not a failure")
			}
		})
	}
}

// A ship may have only one runner: two would start two agents in one tree.
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

// Messages reach the agent's terminal as text. The pulse says which processes are alive.
func TestSayAndPulse(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	aboardtest.PutClaude(t, dir, "")
	w := aboardtest.NewWindow(t, dir)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Connect(dir)
	last := func() proto.Pulse {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		if len(helm.Pulses) == 0 {
			return proto.Pulse{}
		}
		return helm.Pulses[len(helm.Pulses)-1]
	}
	w.Run()
	eventually.Holds(t, "a pulse of all", func() bool { p := last(); return p.Pane && p.Runner && p.Agent })

	eventually.Holds(t, "its prompt", func() bool { return strings.Contains(w.Screen(), "❯") })
	waiting := make(chan aboardtest.Reply, 1)
	go func() { waiting <- aboardtest.Fire(t, dir, "Stop", map[string]any{"hook_event_name": "Stop"}) }()
	eventually.Holds(t, "the wait", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	var said proto.Said
	text := "x$(touch$IFS/x);C-c\x1b[201~\x03"
	go func() { // stands for the agent's hook, as Claude Code would call it
		eventually.Holds(t, "the text", func() bool { return strings.Contains(w.Screen(), "heard ") })
		aboardtest.Fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "x$(touch$IFS/x);C-c[201~"})
	}()
	if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: text}, &said); err != nil || !said.Heard {
		t.Errorf("said %+v, %v", said, err)
	}
	if !strings.Contains(w.Screen(), "heard x$(touch$IFS/x);C-c[201~") {
		t.Errorf("the screen shows\n%s", w.Screen())
	}
	if r := <-waiting; r != (aboardtest.Reply{}) {
		t.Errorf("the waiting hook answered %+v", r)
	}
	for _, bad := range []string{"", "\x1b\x03", strings.Repeat("x", mailbox.MaxText+1)} {
		if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: bad}, nil); err == nil {
			t.Errorf("%.10q was taken", bad)
		}
	}

	if err := w.Running().Runner.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	eventually.Holds(t, "the end of the agent", func() bool { p := last(); return p.Runner && !p.Agent })
	ends := func() []proto.AgentExited { return aboardtest.Seen[proto.AgentExited](helm, proto.KindAgentExited) }
	eventually.Holds(t, "its record", func() bool { return len(ends()) > 0 }) // a pulse may arrive before the record
	if end := ends(); len(end) != 1 || !end[0].Final {
		t.Errorf("ends are %+v", end)
	}
	_ = w.Tmux("kill-server").Run()
	eventually.Holds(t, "a pulse of nothing", func() bool { p := last(); return !p.Pane && !p.Runner })
	if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: "hello"}, nil); err == nil {
		t.Error("a message went nowhere and nobody said so")
	}
}
