package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// A session that cannot be taken up, although its transcript is there, gives way to a new one,
// whose agent is told what the one before did.
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
	r.book.Log("prompt", "not this", "")
	r.book.Log("say", "I have found the keel.", "1")
	r.tty.fd = -1
	r.rhythm.pauses = []time.Duration{1, 1, 1}
	r.keepGoing(t.Context())

	raw, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil {
		t.Fatal(err)
	}
	var starts []string // the prompt has lines
	for part := range strings.SplitSeq(string(raw), "--dangerously-skip-permissions") {
		starts = append(starts, part)
	}
	if starts = starts[1:]; len(starts) != 4 {
		t.Fatalf("started %d times: %s", len(starts), raw)
	}
	for i, want := range []string{"--resume|" + session, "--resume|" + session, "> say: I have found the keel.", "--session-id"} {
		if !strings.Contains(starts[i], want) || strings.Contains(starts[i], "not this") || strings.Contains(starts[i], "--resume") != (i < 2) {
			t.Errorf("start %d is %s, want %q", i+1, starts[i], want)
		}
	}
}
