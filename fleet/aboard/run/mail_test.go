package run

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// promptsOf returns the prompts that the agent reported to its hook, in order.
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

// realClaude starts the real Claude Code on a ship, with the model brain.
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

// letters are the parts of random messages: characters that confuse shells, terminals and prompts, and letters of
// many scripts. Tabs and invisible characters are tested in TestRealClaudeAltersWhatItMust.
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
