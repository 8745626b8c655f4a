package hook

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
)

// gates are the events whose hooks must refuse when anything fails, each with a payload that would pass.
var gates = map[string]any{
	agent.HookClaim: aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"}),
	agent.HookDone:  map[string]any{"hook_event_name": "TaskCompleted", "task_id": "1"},
}

// mustBeClosed checks that a gate refused in every way that Claude Code understands.
func mustBeClosed(t *testing.T, name, event string, r aboardtest.Reply) {
	t.Helper()
	if r.Code != 2 || r.Stderr == "" {
		t.Errorf("%s, %s: code %d, stderr %q", name, event, r.Code, r.Stderr)
	}
	if event == agent.HookClaim {
		if word, _, _ := r.Decision(t); word != "deny" {
			t.Errorf("%s, %s: %s", name, event, word)
		}
	}
}

// socketServer listens on the ship's socket and gives each connection to fn.
func socketServer(t *testing.T, dir string, fn func(net.Conn)) {
	t.Helper()
	socket, err := shipdir.Dir(dir).Socket()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fn(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
}

// A gate refuses in time, whatever serve does and even if serve is not running.
func TestGatesFailClosed(t *testing.T) {
	answer := func(line string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, line)
		}
	}
	for name, serve := range map[string]func(net.Conn){
		"no serve":    nil,
		"hangs":       func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"hangs up":    func(net.Conn) {},
		"dies asked":  answer(""),
		"garbage":     answer("\x00\xff hello\n"),
		"endless":     answer(strings.Repeat("x", wire.MaxMessage+10)),
		"wrong shape": answer(`{"kind":"reply","id":1,"result":[1,2]}` + "\n"),
		"empty":       answer(`{"kind":"reply","id":1}` + "\n"),
		"panics":      answer(`{"kind":"reply","id":1,"error":{"code":"panic","text":"x"}}` + "\n"),
	} {
		dir := aboardtest.NewShip(t, nil)
		if serve != nil {
			socketServer(t, dir, serve)
		}
		for event, payload := range gates {
			mustBeClosed(t, name, event, fireWithin(t, 300*time.Millisecond, dir, event, payload))
		}
	}
}

// A gate also refuses what it cannot read, and when it cannot write its answer.
func TestGatesDoubtTheirCaller(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	for event := range gates {
		for name, in := range map[string]string{
			"nothing": "", "torn": `{"hook_event_name":"` + event, "array": "[]", "other event": `{"hook_event_name":"Stop"}`,
			"no tool": `{"hook_event_name":"` + event + `"}`, "other tool": `{"hook_event_name":"` + event + `","tool_name":"Bash"}`,
			"endless": strings.Repeat(" ", maxPayload+1),
		} {
			mustBeClosed(t, name, event, fireWithin(t, 2*time.Second, dir, event, in))
		}
		code := hookWithin(t.Context(), time.Second, shipdir.Dir(dir), event, failing{}, io.Discard, io.Discard)
		if code != 2 {
			t.Errorf("%s: unreadable input gives %d", event, code)
		}
		raw, _ := json.Marshal(gates[event])
		code = hookWithin(t.Context(), time.Second, shipdir.Dir(dir), event, strings.NewReader(string(raw)), failing{}, failing{})
		if code != 2 {
			t.Errorf("%s: unwritable output gives %d", event, code)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if code := hookWithin(ended, time.Second, shipdir.Dir(dir), event, strings.NewReader(string(raw)), io.Discard, io.Discard); code != 2 {
			t.Errorf("%s: an ended context gives %d", event, code)
		}
	}
	for name, dir := range map[string]string{"no home": "/nonexistent", "no ship": t.TempDir()} {
		for event, payload := range gates {
			mustBeClosed(t, name, event, fireWithin(t, time.Second, dir, event, payload))
		}
	}
	mustBeClosed(t, "unknown event", "Nonsense", aboardtest.Fire(t, dir, "Nonsense", map[string]any{"hook_event_name": "Nonsense"}))
	if r := fireWithin(t, 200*time.Millisecond, "/nonexistent", agent.HookStop, "garbage"); r.Code != 0 {
		t.Errorf("a broken stop hook is %+v", r)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errTest }
func (failing) Write([]byte) (int, error) { return 0, errTest }

// A gate waits when serve is away for a moment.
func TestGateWaitsForServe(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	got := make(chan aboardtest.Reply, 1)
	go func() { got <- aboardtest.Fire(t, dir, agent.HookClaim, gates[agent.HookClaim]) }()
	helm := aboardtest.NewHelm(t)
	helm.Tasks["1"] = aboardtest.Task("1")
	helm.Connect(dir)
	if word, reason, _ := (<-got).Decision(t); word != "allow" {
		t.Errorf("%s %s", word, reason)
	}
}

// The shell around a gate turns every failure of the hook itself into exit code 2, by which Claude Code refuses.
func TestBrokenHookIsANo(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	prep, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "it's a $(touch x) dir")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(odd, "ocaptain")
	if err := prep.Prepare(agent.Setup{Home: dir, Ocaptain: hook, Workspace: dir, List: "list"}); err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Command string }
		}
	}
	if err := shipdir.ReadJSON(filepath.Join(dir, ".ocaptain", "claude-settings.json"), &settings); err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{
		agent.HookClaim: settings.Hooks["PreToolUse"][0].Hooks[0].Command,
		agent.HookDone:  settings.Hooks["TaskCompleted"][0].Hooks[0].Command,
	}
	allow := permission("allow", "", map[string]string{"taskId": "1"})
	for _, c := range []struct {
		name, script string
		want         int
	}{
		{"missing", "", 2},
		{"fails", "exit 1", 2},
		{"killed", "kill -9 $$", 2},
		{"segfault", "kill -SEGV $$", 2},
		{"silent", "exit 0", 2},
		{"emptied", "empty", 2},
		{"garbage", "echo hello", 2},
		{"torn", "printf '%s' '" + allow[:len(allow)-10] + "'", 2},
		{"allow without a decision", "printf '%s' '" + allow + "'", 2},
		{"error after the answer", "printf '%s' '" + allow + "'; exit 1", 2},
		{"decides", "printf '%s' '" + allow + "'; exit 10", 0},
	} {
		_ = os.Remove(hook)
		if c.script != "" {
			text := "#!/bin/sh\n" + c.script + "\n"
			if c.script == "empty" {
				text = ""
			}
			if err := os.WriteFile(hook, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for event, command := range commands {
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			out, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != c.want {
				t.Errorf("%s, %s: exit %d, want %d", c.name, event, code, c.want)
			}
			if c.want == 0 && string(out) != allow {
				t.Errorf("%s: it printed %q", c.name, out)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("the path of the binary was taken for a command")
	}
}
