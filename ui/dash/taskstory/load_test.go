package taskstory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/taskstory"
)

// anchored writes a voyage to disk: its board, a journal and a workspace in which task 1 is merged and ship-1 works
// on task 4.
func anchored(t *testing.T) (fleet.Dir, *fleet.Board) {
	t.Helper()
	b := standingtest.Harbour()
	d := fleet.Dir(filepath.Join(t.TempDir(), b.Voyage.ID))
	if err := os.MkdirAll(d.Workspace(), 0o755); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = d.Workspace()
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(d.Workspace(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
	}
	git("init", "-q", "-b", b.Voyage.Branch)
	put("README", "hello\n")
	git("commit", "-q", "-m", "begin")
	put("user.go", "package user\n")
	git("commit", "-q", "-m", "Create User model\n\nOcaptain-Task: 1\nOcaptain-Ship: ship-0")
	b.Tasks[0].Commit = git("rev-parse", "HEAD")
	put("login.go", "package login\n\x1b[31m\n")
	git("commit", "-q", "-m", "live")
	git("update-ref", "refs/ocaptain/live/ship-1", "HEAD")
	git("update-ref", "refs/ocaptain/base/ship-1", b.Tasks[0].Commit)
	git("reset", "-q", "--hard", b.Tasks[0].Commit)
	if err := summed.Write(d.BoardFile(), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return d, b
}

// note writes records as the store and helm do.
func note(t *testing.T, d fleet.Dir, kinds ...any) {
	t.Helper()
	j, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i := 0; i < len(kinds); i += 2 {
		if _, err := j.NoteAt(standingtest.Noon, kinds[i].(string), kinds[i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

type fields map[string]any

// When no command checks work, its history does not say that a check has passed.
func TestHistoryOfUncheckedWork(t *testing.T) {
	for _, unchecked := range []bool{false, true} {
		d, _ := anchored(t)
		note(t, d,
			fleet.KindVoyage, fleet.Voyage{ID: "v", SessionSpec: fleet.SessionSpec{Unchecked: unchecked}},
			"task.checked", fields{"task": "4", "together": "aaaaaaabbb", "passed": true},
		)
		events, _, err := taskstory.ReadHistory(t.Context(), d, "4")
		if err != nil || (len(events) == 0) != unchecked {
			t.Errorf("unchecked: %t: %+v, %v", unchecked, events, err)
		}
	}
}

func TestLoadDetail(t *testing.T) {
	d, b := anchored(t)
	note(t, d,
		"task.added", fields{"part": 0, "tasks": []tasks.Task{b.Tasks[0].Task, b.Tasks[3].Task}},
		"task.reserved", fields{"task": "4", "owner": "ship-2"},
		"task.reserved", fields{"task": "4"},
		"task.claimed", fields{"task": "1", "owner": "ship-0", "epoch": 1},
		"task.claimed", fields{"task": "4", "owner": "ship-2", "epoch": 1},
		"helm.checkout", fields{"task": "4", "ship": "ship-2", "epoch": 1, "commit": "0123456789abcdef", "parked": "refs/ocaptain/parked/x"},
		"helm.conflict", fields{"task": "4", "ship": "ship-2", "paths": []string{"login.go", "\x1b[31mevil"}},
		"task.requeued", fields{"task": "4", "owner": "ship-2", "reason": "stuck\x07"},
		"helm.refused", fields{"task": "4", "ship": "ship-0", "why": "no"},
		"task.handed-in", fields{"task": "4", "owner": "ship-1", "epoch": 2, "commit": "fedcba9876543210", "summary": "done\x1b[31m"},
		"task.checked", fields{"task": "4", "commit": "fedcba9876543210", "together": "aaaaaaabbb", "passed": true},
		"task.requeued", fields{"task": "4", "owner": "validator-0", "reason": "no test\nat all", "back": true, "for": "ship-1", "rejected": true},
		"task.handed-in", fields{"task": "4", "owner": "ship-1", "epoch": 4, "commit": "1111111"},
		"task.requeued", fields{"task": "4", "reason": "it conflicts", "back": true},
		"task.approved", fields{"task": "4", "owner": "validator-0", "epoch": 5, "review": fields{"approved": true, "reasoning": "tested\x07"}},
		"task.requeued", fields{"task": "4", "reason": "three times", "back": true, "hold": true, "rejected": true},
		"helm.note", fleet.Note{At: standingtest.Noon, Ship: "ship-1", Task: "4", Text: "look\nhere"},
		"task.claimed", fields{"task": "4", "owner": "ship-1", "epoch": 2},
		"voyage.phase", fields{"phase": "4"},
		"task.completed", fields{"task": "44", "owner": "4"},
		"task.completed", fields{"task": "1", "owner": "ship-0", "epoch": 1, "commit": b.Tasks[0].Commit},
	)
	data := taskstory.LoadDetail(t.Context(), d, "4")
	var got []string
	for _, e := range data.History {
		if !e.At.Equal(standingtest.Noon) {
			t.Errorf("%s at %v", e.What, e.At)
		}
		got = append(got, fmt.Sprintf("%s %s: %s", e.What, e.Ship, e.Text))
	}
	want := []string{
		"added : ", "reserved ship-2: ", "freed : ", "claimed ship-2: claim 1",
		"checkout ship-2: at commit 0123456, older work put aside on refs/ocaptain/parked/x",
		"conflict ship-2: login.go, evil", "requeued ship-2: stuck", "refused ship-0: no",
		"handed in ship-1: commit fedcba9: done", "checked : with the branch as commit aaaaaaa: verify.sh has passed on it",
		"rejected validator-0: to ship-1: no test at all", "handed in ship-1: commit 1111111", "sent back : it conflicts",
		"approved validator-0: tested", "on hold : three times",
		"note ship-1: look here", "claimed ship-1: claim 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("history:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if data.HistoryErr != nil || data.CommitsErr != nil || data.PatchErr != nil || len(data.Commits) != 0 {
		t.Errorf("%+v", data)
	}
	if p := data.Patch; len(p.Files) != 1 || p.Files[0].Path != "login.go" || p.Title != "ship-1, not merged yet" {
		t.Errorf("%+v", p.Files)
	}
	b.Tasks[3].HandIn = &tasks.HandIn{Owner: "ship-1", Commit: "refs/ocaptain/live/ship-1"}
	if err := summed.Write(d.BoardFile(), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if p := taskstory.LoadDetail(t.Context(), d, "4").Patch; len(p.Files) != 1 || p.Files[0].Path != "login.go" || p.Title != "task 4 by ship-1, in review, not merged yet" {
		t.Errorf("in review: %q, %+v", p.Title, p.Files)
	}
	data = taskstory.LoadDetail(t.Context(), d, "1")
	if len(data.Commits) != 1 || !data.Commits[0].Merged || len(data.Patch.Files) != 1 || data.Patch.Files[0].Path != "user.go" {
		t.Errorf("%+v, %+v", data.Commits, data.Patch.Files)
	}
}

func TestLoadDetailOfLittle(t *testing.T) {
	d, _ := anchored(t)
	for id, want := range map[string]string{
		"5": "no ship works on it, so nothing is changed", "99": "the task is no longer on the board", "3": "there is no snapshot of ship-0 yet", "2": "nothing is changed",
	} {
		data := taskstory.LoadDetail(t.Context(), d, id)
		if data.PatchNone != want || data.PatchErr != nil || data.HistoryErr != nil || data.CommitsErr != nil {
			t.Errorf("%s: %+v", id, data)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if data := taskstory.LoadDetail(ctx, d, "1"); !errors.Is(data.PatchErr, context.Canceled) {
		t.Errorf("cancelled: %v", data.PatchErr)
	}
	if data := taskstory.LoadDetail(t.Context(), fleet.Dir(t.TempDir()), "1"); data.PatchErr == nil || data.CommitsErr == nil {
		t.Error("no error where there is no voyage")
	}
}

// A history keeps the newest events and counts the others.
func TestHistoryIsBounded(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	const n = 1234
	var all []any
	for i := range n {
		all = append(all, "helm.refused", fields{"task": "1", "ship": "s", "why": fmt.Sprint(i)})
	}
	note(t, d, all...)
	events, left, err := taskstory.ReadHistory(t.Context(), d, "1")
	if err != nil || len(events) != taskstory.MaxEvents || left != n-taskstory.MaxEvents || events[taskstory.MaxEvents-1].Text != fmt.Sprint(n-1) || events[0].Text != fmt.Sprint(n-taskstory.MaxEvents) {
		t.Errorf("%d events, %d left, %v", len(events), left, err)
	}
}

// FuzzHistory: damaged records, and records of other kinds, are ignored.
func FuzzHistory(f *testing.F) {
	f.Add("task.claimed", `{"task":"1","owner":"x\u001b[31m","epoch":1}`)
	f.Add("task.added", `{"tasks":[{"id":"1"}]}`)
	f.Add("helm.conflict", `{"task":"1","paths":["a",null]}`)
	f.Fuzz(func(t *testing.T, kind, data string) {
		d := fleet.Dir(t.TempDir())
		raw := `{"at":"2026-03-14T12:00:00Z","kind":"` + kind + `","data":` + data + "}\n"
		if err := os.WriteFile(d.Events(), []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		events, _, err := taskstory.ReadHistory(t.Context(), d, "1")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			golden.Harmless(t, e.What+e.Ship+e.Text)
		}
	})
}
