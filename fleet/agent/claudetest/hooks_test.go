package claudetest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// The hooks of this test refuse task 1 until the agent has tried to stop, and refuse the first completion.
const (
	refuse1 = `in=$(cat)
case $in in *'"taskId":"1"'*'"in_progress"'*|*'"in_progress"'*'"taskId":"1"'*)
  [ -e "$0.open" ] || { echo "task 1 is owned by ship-9" >&2; exit 2; } ;;
esac`
	vetoFirst = `[ -e "$0.seen" ] || { touch "$0.seen"; echo "conflict in log.txt" >&2; exit 2; }`
	stopOnce  = `[ -e refuse1.open ] || { touch refuse1.open; echo '{"decision":"block","reason":"task 1 is ready"}'; }`
)

func TestWorkerHeedsHooks(t *testing.T) {
	t.Parallel()
	home, work, bin := t.TempDir(), t.TempDir(), t.TempDir()
	writeFile(t, listFile(home, 1), `{"id":"1","subject":"One","description":"RUN: echo one >> log.txt","status":"pending","blocks":[],"blockedBy":[]}`)
	writeFile(t, listFile(home, 2), `{"id":"2","subject":"Two","description":"RUN: echo two >> log.txt\nRESOLVE: echo again >> log.txt","status":"pending","blocks":[],"blockedBy":[]}`)
	type hook struct {
		Matcher string              `json:"matcher,omitempty"`
		Hooks   []map[string]string `json:"hooks"`
	}
	script := func(name, text string) []map[string]string {
		path := filepath.Join(bin, name)
		writeFile(t, path, "cd "+bin+"\n"+text+"\n")
		return []map[string]string{{"type": "command", "command": "sh " + path}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": map[string][]hook{
		"PreToolUse":    {{Matcher: "TaskUpdate", Hooks: script("refuse1", refuse1)}},
		"TaskCompleted": {{Hooks: script("veto", vetoFirst)}},
		"Stop":          {{Hooks: script("stop", stopOnce)}},
	}})
	if err != nil {
		t.Fatal(err)
	}

	api := claudetest.Start(t, loopback.Worker)
	cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "--dangerously-skip-permissions", "--settings", string(settings), "Work on the tasks.")
	cmd.Dir, cmd.Env = work, claudetest.Env(home, api, key, taskTools...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("claude: %v\n%s", err, out)
	}

	if got, _ := os.ReadFile(filepath.Join(work, "log.txt")); string(got) != "two\nagain\none\n" {
		t.Errorf("log.txt is %q", got)
	}
	last := api.Sessions()[0].Last
	var updates []string
	for _, c := range last.Calls() {
		if c.Tool == "TaskUpdate" {
			word := c.Arg("taskId") + " " + c.Arg("status")
			if !c.OK() {
				word += " no"
			}
			updates = append(updates, word)
		}
	}
	want := []string{"1 in_progress no", "2 in_progress", "2 completed no", "2 completed", "1 in_progress", "1 completed"}
	if !slices.Equal(updates, want) {
		t.Errorf("updates are %q, want %q", updates, want)
	}
	if !slices.ContainsFunc(last.Prompts(), func(p string) bool { return strings.HasPrefix(p, "Stop hook feedback:\n") }) {
		t.Errorf("prompts are %q", last.Prompts())
	}
}
