//go:build long

package faults

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// liars lists programs that take the place of status, with what the reader must say about each. Each lie is made from the true
// answer.
var liars = []struct {
	name, want string
	made       func(t testing.TB, honest string) string // returns a script
}{
	{"fails", reader.NoAnswer, func(testing.TB, string) string { return "exit 1" }},
	{"prints half of an answer", reader.NoAnswer, func(_ testing.TB, honest string) string { return printing(honest[:len(honest)/2]) }},
	{"is stale for ever", reader.NoAnswer, func(t testing.TB, honest string) string {
		return printing(with(t, honest, func(s map[string]any) { s["stale"] = true }))
	}},
	{"does not know a completed task", "task 1 is not completed, and was", func(t testing.TB, honest string) string {
		return printing(with(t, honest, func(s map[string]any) { s["tasks"].([]any)[0].(map[string]any)["status"] = "pending" }))
	}},
	{"invents a completed task", "task 99 is completed, and the journal does not know it", func(t testing.TB, honest string) string {
		return printing(with(t, honest, func(s map[string]any) {
			s["tasks"] = append(s["tasks"].([]any), map[string]any{"id": "99", "status": "completed"})
		}))
	}},
}

// TestLiars sails a voyage without faults, whose status tells the truth, and then puts liars in its place.
func TestLiars(t *testing.T) {
	t.Parallel()
	v := newVoyage(t, 1)
	v.crew = crews[0]
	var heard hearing
	v.told = heard.add
	v.board("local", nil)
	if !v.arrive() {
		return
	}
	v.wait(reader.Grace(busy()) + reader.Lasting*askEvery)
	if told := heard.all(); told != "" {
		t.Errorf("a true status lies: %s", told)
	}
	honest, code := v.run("status", "--json", v.id)
	if code != 0 {
		t.Fatalf("status: exit %d\n%s", code, honest)
	}
	for _, l := range liars {
		v.lie(l.made(t, honest))
		eventually.Holds(t, "a status that "+l.name+" is found out", func() bool { return strings.Contains(heard.all(), l.want) })
		v.undisturbed(func() { v.liar = "" })
		before, _ := v.Looks()
		eventually.Holds(t, "the true status is asked in between", func() bool {
			now, _ := v.Looks()
			return now > before
		})
		heard.forget()
	}
	// Now everything is dead, and status still says what it said when all lived.
	v.lie(printing(honest))
	for len(v.hub()) > 0 {
		v.signal("hub", syscall.SIGKILL, v.hub())
	}
	extinguish(v.ground.disks[0])
	for _, want := range []string{"is dead", "ship-0 lives, and nothing of it runs"} {
		eventually.Holds(t, "a status that does not know that "+want, func() bool { return strings.Contains(heard.all(), want) })
	}
}

// lie puts a script in the place of status.
func (v *voyage) lie(script string) {
	v.Helper()
	v.undisturbed(func() {
		v.liar = filepath.Join(v.home, "liar.sh")
		if err := clitest.Write(v.liar, "#!/bin/sh\n"+script+"\n"); err != nil {
			v.Fatal(err)
		}
	})
}

func printing(answer string) string { return "cat <<'END'\n" + answer + "\nEND" }

// with returns an answer with a change.
func with(t testing.TB, answer string, change func(map[string]any)) string {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(answer), &s); err != nil {
		t.Fatal(err)
	}
	change(s)
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// hearing keeps the lies that the reader reported.
type hearing struct {
	mu   sync.Mutex
	lies []string
}

func (h *hearing) add(lie string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lies = append(h.lies, lie)
}

func (h *hearing) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lies, "\n")
}

func (h *hearing) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lies = nil
}
