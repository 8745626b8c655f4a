package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// If a session cannot be continued although it has a transcript, a new session begins, and its agent is told what
// happened in the old one.
func TestSessionIsLost(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	t.Setenv("PATH", "/usr/bin:/bin")
	aboardtest.PutClaude(t, dir, `printf '%s|' "$@" >>"$HOME/args"; echo >>"$HOME/args"
for a in "$@"; do [ "$a" = --resume ] && exit 1; done
exit 3`)
	const session = "11111111-2222-4333-8444-555555555555"
	transcript := filepath.Join(dir, ".claude", "projects", "-w", session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(transcript), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{transcript: "\x00\x00", shipdir.Dir(dir).Session(): session + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := newRunner(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for path, v := range map[string]any{
		shipdir.Dir(dir).Claim(): proto.Claim{Task: "1", Epoch: 1}, filepath.Join(shipdir.ListDir(dir, r.ship.List), "1.json"): map[string]string{"subject": "Lay the keel"},
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), shipdir.WriteJSON(path, v)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", r.ship.Workspace).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(r.ship.Workspace, "keel"), []byte("half\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.book.Log("prompt", "not this", "")
	r.book.Log("say", "I have found the keel.", "1")
	r.tty.fd = -1
	r.rhythm.pauses = []time.Duration{1, 1, 1}
	r.keepGoing(t.Context())

	raw, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil {
		t.Fatal(err)
	}
	var starts []string // one entry per start, as a prompt has several lines
	for part := range strings.SplitSeq(string(raw), "--dangerously-skip-permissions") {
		starts = append(starts, part)
	}
	if starts = starts[1:]; len(starts) != 4 {
		t.Fatalf("started %d times: %s", len(starts), raw)
	}
	for _, want := range []string{"It held task 1 (Lay the keel), which is yours now", "> ?? keel"} {
		if !strings.Contains(starts[2], want) {
			t.Errorf("the new agent is not told %q: %s", want, starts[2])
		}
	}
	for i, want := range []string{"--resume|" + session, "--resume|" + session, "> say: I have found the keel.", "--session-id"} {
		if !strings.Contains(starts[i], want) || strings.Contains(starts[i], "not this") || strings.Contains(starts[i], "--resume") != (i < 2) {
			t.Errorf("start %d is %s, want %q", i+1, starts[i], want)
		}
	}
}

// An agent that takes turns is told the same when it goes on with work that another session began.
func TestTurnsSessionIsGone(t *testing.T) {
	dir, r := ownTurns(t, "")
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Claim(), proto.Claim{Task: "1", Epoch: 1}); err != nil {
		t.Fatal(err)
	}
	r.book.Log("say", "I have found the keel.", "1")
	mine := &turns{runner: r}
	for fresh, want := range map[bool]string{true: "in a session that is gone: look at what your clone holds before you go on.\n\n- It held task 1, which is yours now: read it, and go on with it.\n", false: ""} {
		_, text, err := mine.prompt(proto.Verdict{Act: proto.ActContinue, Held: "1"}, fresh)
		if err != nil || !strings.Contains(text, want) || strings.Contains(text, "> say: I have found the keel.") != fresh {
			t.Errorf("fresh %v: %v, it is told\n%s", fresh, err, text)
		}
	}
}
