package claudetest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

const key = "sk-ant-test-0123456789-abcdefghij"

// taskTools turns on the task tools and names their list.
var taskTools = []string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "ENABLE_TOOL_SEARCH=false", "CLAUDE_CODE_TASK_LIST_ID=trip"}

func TestBinary(t *testing.T) {
	path := claudetest.Binary(t)
	out, err := exec.CommandContext(t.Context(), path, "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), claudetest.Version) {
		t.Fatalf("%s --version: %v\n%s", path, err, out)
	}
}

func TestPrintModeWorksThroughTheList(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	api := claudetest.Start(t, loopback.Worker)
	writeTasks(t, home)

	cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "--dangerously-skip-permissions", "You are ship-0. Work on the tasks.")
	cmd.Dir, cmd.Env = work, claudetest.Env(home, api, key, taskTools...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("claude: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "Nothing is claimable") {
		t.Errorf("claude said %q", out)
	}
	checkWork(t, home, work)

	sessions := api.Sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions, want 1", len(sessions))
	}
	s := sessions[0]
	if s.Key != key || s.Input == 0 || s.Output == 0 || s.Requests < 16 {
		t.Errorf("session is %+v", s)
	}
	var order []string
	for _, c := range s.Last.Calls() {
		if c.Failed {
			t.Errorf("%s %s failed: %s", c.Tool, c.Input, c.Result)
		}
		if c.Arg("status") == "in_progress" {
			order = append(order, c.Arg("taskId"))
		}
	}
	if got := strings.Join(order, " "); got != "1 2 3" {
		t.Errorf("claimed %s, want 1 2 3", got)
	}
}

func TestPrintModeOutlastsTrouble(t *testing.T) {
	t.Parallel()
	overloaded := loopback.Fail(529, "overloaded_error", "too busy")
	overloaded.Error.Header = http.Header{"Retry-After": {"0"}}
	cut, plain := loopback.Say("cut"), loopback.Say("plain")
	cut.Cut, plain.Plain = true, true
	api := claudetest.Start(t, loopback.Stumble(loopback.Steps(loopback.Say("At last.")), overloaded, cut, plain))

	cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "Hello.")
	cmd.Dir, cmd.Env = t.TempDir(), claudetest.Env(t.TempDir(), api, key)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "At last." {
		t.Errorf("claude: %v\n%s", err, out)
	}
	log := api.Log()
	if last := log[len(log)-1]; len(log) != 4 || last.Stream {
		t.Errorf("asked %d times, at last with stream %t", len(log), last.Stream)
	}
}

func TestInteractiveGoesStraightToWork(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	api := claudetest.Start(t, loopback.Worker)
	writeTasks(t, home)
	// While a hidden task is open, Claude Code does not clear a finished list.
	writeFile(t, listFile(home, "keep"), `{"id":"keep","subject":"keep","description":"","status":"pending","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}`)
	preseed(t, home)

	term := newTerminal(t, work, append(claudetest.Env(home, api, key), taskTools...))
	term.run(claudetest.Binary(t), "--dangerously-skip-permissions", "You are ship-0. Work on the tasks.")
	api.Await(t, "the tasks to be completed", func() bool { return finished(home) })
	checkWork(t, home, work)

	term.say("RUN: echo aye > answer.txt")
	api.Await(t, "the message to be acted on", func() bool {
		_, err := os.Stat(filepath.Join(work, "answer.txt"))
		return err == nil
	})
	prompts := api.Sessions()[0].Last.Prompts()
	if got := prompts[len(prompts)-1]; !strings.Contains(got, "echo aye") {
		t.Errorf("the last prompt is %q", got)
	}
	term.say("/exit")
	api.Await(t, "claude to exit", term.ended)
}

// writeTasks writes a list of three tasks, in which each waits for the one before.
func writeTasks(t *testing.T, home string) {
	t.Helper()
	for i := 1; i <= 3; i++ {
		writeFile(t, listFile(home, i), fmt.Sprintf(`{"id":"%d","subject":"Write line %[1]d","description":"Append it.\nRUN: echo line %[1]d >> log.txt",`+
			`"status":"pending","blocks":[%s],"blockedBy":[%s]}`, i, quoted(i+1, i < 3), quoted(i-1, i > 1)))
	}
}

// preseed answers the questions of a first interactive start.
func preseed(t *testing.T, home string) {
	t.Helper()
	seed, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true,
		"customApiKeyResponses":  map[string][]string{"approved": {key[len(key)-20:]}, "rejected": {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".claude.json"), string(seed))
	writeFile(t, filepath.Join(home, ".claude", "settings.json"), `{"skipDangerousModePermissionPrompt":true}`)
}

// finished reports whether all three tasks are completed. A file that is being written does not count.
func finished(home string) bool {
	for i := 1; i <= 3; i++ {
		data, err := os.ReadFile(listFile(home, i))
		var task struct{ Status string }
		if err != nil || json.Unmarshal(data, &task) != nil || task.Status != "completed" {
			return false
		}
	}
	return true
}

func checkWork(t *testing.T, home, work string) {
	t.Helper()
	if !finished(home) {
		t.Error("not every task is completed")
	}
	got, err := os.ReadFile(filepath.Join(work, "log.txt"))
	if want := "line 1\nline 2\nline 3\n"; err != nil || string(got) != want {
		t.Errorf("log.txt is %q, want %q (%v)", got, want, err)
	}
}

func listFile(home string, id any) string {
	return filepath.Join(home, ".claude", "tasks", "trip", fmt.Sprint(id, ".json"))
}

// quoted returns an id as it is written in a list of ids, or "" unless there is set.
func quoted(id int, there bool) string {
	if !there {
		return ""
	}
	return strconv.Quote(strconv.Itoa(id))
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
