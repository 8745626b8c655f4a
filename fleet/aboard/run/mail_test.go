package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// promptsOf returns what the agent told its hook, in order.
func promptsOf(t *testing.T, dir string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "prompts"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range bytes.Lines(raw) {
		var p struct{ Prompt string }
		if json.Unmarshal(line, &p) == nil {
			all = append(all, p.Prompt)
		}
	}
	return all
}

// realClaude starts the real program on a ship, with a model that has nothing to say.
func realClaude(t *testing.T, brain loopback.Brain) (dir string, w *aboardtest.Window, api *claudetest.API) {
	t.Helper()
	api = claudetest.Start(t, brain)
	dir = aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Prompt = ""
		s.Env = map[string]string{
			"ANTHROPIC_BASE_URL": api.URL, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "2",
		}
	})
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(claudetest.Binary(t), filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test-0123456789-abcdefghij"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "prompts"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w = aboardtest.NewWindow(t, dir)
	w.Run()
	return dir, w, api
}

// letters of random messages: what shells, terminals and prompts trip over, and scripts
// of all kinds. Tabs and what shows nothing are tried in TestRealClaudeAltersWhatItMust.
var letters = []string{
	"a", "b", "Z", "9", " ", " ", "  ", "\n", "\n", "'", `"`, "`", "$", "$(x)", "${y}", `\`, `\n`, "/", "!", "#", "@", "&", ";", "|", "<", ">", "*", "?", "~", "%", "^", "{", "}",
	"[", "]", "(", ")", ":smile:", "@go.mod", "/help", "!ls", "ä", "é", "e\u0301", "A\u030a", "\u1100\u1161", "Ω", "\u2126", "ß", "日本", "語", "한", "עברית", "العربية", "ไทย", "हिन्दी", "ක්\u200dෂ",
	"😀", "👩\u200d👩\u200d👧", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "✌🏽", "❤\ufe0f", "🇩🇪", "\u00a0", "\u3000", "�", "\ue000", "C-c", "[201~", "Enter", "[Pasted text #1]", "[Image #2]", "…", "—", "𝒳",
}

func randomText(r *rand.Rand) string {
	size := 1 + r.IntN(60)
	switch r.IntN(10) {
	case 0:
		size = 1 + r.IntN(3)
	case 1, 2:
		size = r.IntN(1500)
	case 3:
		size = r.IntN(6000)
	}
	var b strings.Builder
	b.WriteString([]string{"", "", "", "/", "!", "#", "@", "&", " ", "   ", "\n", "/clear ", "exit"}[r.IntN(13)])
	for range size {
		b.WriteString(letters[r.IntN(len(letters))])
		if b.Len() > 20<<10-40 {
			break
		}
	}
	b.WriteString([]string{"", "", " ", "   ", "\n", `\`, " \n "}[r.IntN(7)])
	if !mailbox.Legible(b.String()) {
		return "x" + b.String()
	}
	return b.String()
}

// Every message arrives as it was written, once, in order, though serve is killed and
// the link is cut in the middle. OCAPTAIN_SENDS=1000 makes it a thousand.
func TestRealClaudeHearsWhatIsSent(t *testing.T) {
	t.Parallel()
	n := 40
	if s, err := strconv.Atoi(os.Getenv("OCAPTAIN_SENDS")); err == nil {
		n = s
	}
	dir, _, _ := realClaude(t, func(loopback.Request) loopback.Reply { return loopback.Say("Aye.") })
	helm := aboardtest.NewHelm(t)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var sent []mailbox.Message
	for i := range n {
		sent = append(sent, mailbox.Message{ID: fmt.Sprintf("message-%d", i), Text: randomText(r)})
	}
	var mu sync.Mutex
	serve := helm.Spawn(dir)
	get := func() *aboardtest.ServeProcess { mu.Lock(); defer mu.Unlock(); return serve }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // the weather
		defer close(stopped)
		moments := rand.New(rand.NewPCG(2, 2))
		for {
			select {
			case <-eventually.Later(time.Duration(300+moments.IntN(4000)) * time.Millisecond):
			case <-stop:
				return
			}
			if was := get(); moments.IntN(2) == 0 {
				was.Kill()
			} else {
				was.End()
			}
			next := helm.Spawn(dir)
			mu.Lock()
			serve = next
			mu.Unlock()
		}
	}()
	began := time.Now()
	waiting := func() int {
		all, _ := filepath.Glob(filepath.Join(dir, ".ocaptain", "mail", "*.json"))
		return len(all)
	}
	for i := range n { // as helm does: again, when it does not know that it was taken
		eventually.Succeeds(t, "a message is taken", func() error {
			var got proto.Mail
			return get().Conn.Call(t.Context(), proto.MethodMail, sent[i], &got)
		})
		eventually.Holds(t, "few messages wait", func() bool { return waiting() < 20 })
	}
	eventually.Holds(t, "all messages", func() bool { return waiting() == 0 })
	took := time.Since(began)
	close(stop)
	<-stopped
	get().End()
	prompts := promptsOf(t, dir)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(len(sent), len(prompts)) {
		switch {
		case i >= len(prompts):
			t.Fatalf("message %d did not arrive: %.200q", i, sent[i].Text)
		case i >= len(sent):
			t.Fatalf("%d messages arrived, %d were sent; the next is %.200q", len(prompts), n, prompts[i])
		case !claude.Box.Kept(prompts[i], sent[i].Text):
			t.Fatalf("message %d is\n%.600q, sent was\n%.600q", i, prompts[i], sent[i].Text)
		}
	}
	t.Logf("%d messages in %s, %s each", n, took.Round(time.Millisecond), (took / time.Duration(n)).Round(time.Millisecond))
}
