package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/summed"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// hostileVoyage makes a voyage of the bridge in which every text comes from a hostile ship.
func hostileVoyage(t *testing.T, b *bridge, all bool) fleet.Board {
	t.Helper()
	d, board := loadTest(t, b)
	var f fleet.Fleet
	if err := summed.Read(d.FleetFile(), &f); err != nil {
		t.Fatal(err)
	}
	lines := []fleet.LogLine{{At: present, Kind: "say", Text: "said"}, {At: present, Ship: "ship-0", Role: "worker", Kind: "tool", Turn: 1, Text: "ran"}}
	board.Notes = []fleet.Note{{At: present, Ship: "ship-0", Task: "3", Text: "note"}}
	board.Problems, board.Guard = []string{"problem"}, "guard"
	board.Steering = []fleet.Steering{{Steering: sync.Steering{Paths: []string{"CLAUDE.md"}}, Task: "3", Ship: "ship-0", Word: fleet.Waits}}
	board.Proposals = []fleet.Proposal{
		{ID: 1, Ship: "ship-0", Text: "proposal"},
		{ID: 2, Ship: "ship-0", Text: "add", Edit: &tasks.Edit{Subject: "subject", Description: "description\nmore"}},
		{ID: 3, Ship: "ship-0", Task: "3", Text: "delete", Cancel: true},
	}
	board.Orphans, board.Disk = []string{"orphan"}, fleet.Hindrance{Why: "disk"}
	board.Verify = fleet.Verify{Runs: 1, At: present, Output: "failed", Commit: "abc"}
	board.Ships[1].Queued, board.Ships[1].Slowed = 1, []string{"log"}
	board.Voyage.Sync, board.Ships[1].Tree = fleet.SyncLive, fleet.SharedTree{State: fleet.TreeAway, Why: "why", Conflicts: []string{"a.go"}, Problems: []fleet.TreeProblem{{Path: "b.go", Why: "odd"}}}
	id, branch := board.Voyage.ID, board.Voyage.Branch
	cleantest.Fill(&board, all)
	cleantest.Fill(&f, all)
	for i := range board.Ships {
		if !all { // commands ask helm for a ship by this name
			board.Ships[i].Name = fmt.Sprint("ship-", i)
		}
	}
	for i := range lines {
		cleantest.Fill(&lines[i], true)
	}
	b.hub.Voyages = t.TempDir()
	d = fleet.Dir(filepath.Join(b.hub.Voyages, id))
	board.Voyage.ID, board.Voyage.Branch, board.At, board.Helm = id, branch, b.now(), os.Getpid()
	board.Voyage.Base = hostileRepository(t, d, branch)
	board.Head = branch
	mustMkdir(t, d.LogsDir())
	for file, v := range map[string]any{d.Voyage(): board.Voyage, d.FleetFile(): f, d.BoardFile(): board} {
		writeJSON(t, file, v)
	}
	for _, l := range lines {
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		appendFile(t, d.LogFile("ship-0"), string(raw)+"\n"+cleantest.Hostile+"\n")
	}
	return board
}

func writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(file, raw, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func appendFile(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// hostileRepository makes the voyage's workspace with hostile names, texts and commits, and returns its first commit.
func hostileRepository(t *testing.T, d fleet.Dir, branch string) (base string) {
	t.Helper()
	mustMkdir(t, d.Workspace())
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = d.Workspace(), strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=evil\x1b[2J\u202e", "GIT_AUTHOR_EMAIL=a@x",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q", "-b", branch)
	git("", "commit", "-q", "--allow-empty", "-m", "begin")
	base = git("", "rev-parse", "HEAD")
	for name, content := range map[string]string{"a.txt": cleantest.Hostile + "\n" + cleantest.Long, "evil\x1b[2J\u202e\xff": "named", "binary": "\x00" + cleantest.Hostile} {
		if err := os.WriteFile(filepath.Join(d.Workspace(), name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := filepath.Join(d.Workspace(), "docs/discoveries")
	mustMkdir(t, found)
	for name, front := range map[string]string{"evil\x1b[2J\u202e.md": "---\ntype: gotcha\nfiles: [\"evil\u202e\"]\n---\n", "evil\x1b[2J\u202e-none.md": ""} {
		if err := os.WriteFile(filepath.Join(found, name), []byte(front+cleantest.Hostile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("", "add", "-A")
	git(cleantest.Hostile+"\n\n"+cleantest.Hostile+"\n\nOcaptain-Ship: evil\x1b[2J\u202e\n", "commit", "-q", "-F", "-")
	return base
}

// hostileHelm answers requests as helm does, with hostile texts. With refuses it refuses each request.
func hostileHelm(t *testing.T, h fleet.Hub, board fleet.Board, refuses bool) {
	t.Helper()
	var found api.Sweep
	found.Orphans, found.Others, found.Unasked = make([]machines.Orphan, 2), make([]machines.Orphan, 1), make([]api.Unasked, 1)
	found.Orphans[1].Unwanted, found.Orphans[1].Seen = true, true
	cleantest.Fill(&found, true)
	found.Others[0].Name = "evil" + cleantest.Hostile
	hello := api.Hello{API: api.API, Made: time.Now().Add(time.Hour), PID: 1 << 30, Voyages: []string{"v"}, Damaged: map[string]string{"v": "why"}}
	cleantest.Fill(&hello, true)
	said := api.Said{}
	cleantest.Fill(&said, true)
	serveHelm(t, h, func(w http.ResponseWriter, r *http.Request) {
		answer := json.NewEncoder(w)
		_, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/voyages/"), "/")
		switch {
		case r.URL.Path == "/v1/hello":
			_ = answer.Encode(hello)
		case refuses:
			api.WriteError(w, api.Refused("%s", cleantest.Hostile))
		case r.URL.Path == "/v1/orphans":
			_ = answer.Encode(found)
		case r.URL.Path == "/v1/orphans/known":
			_ = answer.Encode(found.Orphans)
		case action == "board" || action == "look":
			_ = answer.Encode(board)
		case strings.HasSuffix(action, "/say"):
			_ = answer.Encode(said)
		case strings.HasSuffix(action, "/dial"):
			api.WriteError(w, api.NotFound("%s", cleantest.Hostile))
		case r.Method == http.MethodPost:
			reportAll(func(p api.Progress) { _ = answer.Encode(p) })
			_ = answer.Encode(api.Progress{Error: cleantest.Hostile})
		}
	})
}
