package launch

import (
	"strings"
	"testing"

	"ocaptain/sync/gitflow/origin"
)

// TestBranchName derives branches from what the captain asks for.
func TestBranchName(t *testing.T) {
	const id = "voyage-0123456789ab"
	for text, want := range map[string]string{
		"Add login, with sessions!\nand more": "feat/add-login-with-sessions", "日本 login": "feat/日本-login", "Добавить ВХОД": "feat/добавить-вход",
		"日本語のログインを追加する": "feat/日本語のログインを追加する", "# दो पन्ने": "feat/दो-पन्ने", "🚀 ship it 🚀": "feat/ship-it", "a\xffb": "feat/a-b",
		"": "feat/work-0123456789ab", "🚀": "feat/work-0123456789ab", "…!": "feat/work-0123456789ab",
		strings.Repeat("x", 99): "feat/" + strings.Repeat("x", 40), "a " + strings.Repeat("x", 99): "feat/a", strings.Repeat("語", 99): "feat/" + strings.Repeat("語", 40),
		strings.Repeat("x", 39) + "e\u0301 y": "feat/" + strings.Repeat("x", 39), "a very long wish that goes on and on and on": "feat/a-very-long-wish-that-goes-on-and-on-and",
	} {
		if got := (&Session{Text: text}).branch(id); got != want || !origin.IsBranch(got) {
			t.Errorf("%q goes to %q, want %q", text, got, want)
		}
	}
	if got := (&Session{Text: "x", Branch: "mine"}).branch(id); got != "mine" {
		t.Errorf("the branch that the captain names becomes %q", got)
	}
}
