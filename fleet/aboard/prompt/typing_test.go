package prompt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/tasks/eventually"
)

// If a question keeps a message from being typed, the error names the question.
func TestWaitsForQuestion(t *testing.T) {
	dir, err := os.MkdirTemp("", "oc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	home := shipdir.Dir(dir)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	screen := filepath.Join(dir, "screen")
	if err := os.WriteFile(screen, []byte("│ Which colour is the shop?\n❯ 1. Red\n  2. Blue\nEnter to confirm · Esc to cancel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tmux("new-session", "-d", "-s", "ship", "-x", "100", "-y", "20", "cat "+screen+"; exec cat")
	t.Cleanup(func() { tmux("kill-server") })
	eventually.Holds(t, "the question", func() bool { return strings.Contains(tmux("capture-pane", "-p", "-t", "ship"), "Enter to confirm") })
	r := shipdir.Running{Agent: shipdir.Self(), Socket: socket, Pane: tmux("display-message", "-p", "-t", "ship", "#{pane_id}"), Hears: true}
	if err := shipdir.WriteJSON(home.Run(), r); err != nil {
		t.Fatal(err)
	}
	book, err := shipdir.OpenJournal(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(book.Close)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(home, claude, book).Type(t.Context(), mailbox.Message{ID: "message-1", Text: "hello"})
	if want := "it asks a question: Which colour is the shop?"; err == nil || err.Error() != want {
		t.Errorf("it waits as %v, want %s", err, want)
	}
}
