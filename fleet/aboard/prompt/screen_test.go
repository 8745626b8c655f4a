package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The screens in testdata/screens are real: tmux captured them from Claude Code 2.1.329.
func TestQuestions(t *testing.T) {
	for name, want := range map[string]string{
		"trust":       "asks whether the workspace is trusted",
		"bypass":      "asks to accept the mode without permissions",
		"key":         "asks whether to use the API key",
		"login":       "asks for a login",
		"permission":  "asks for a permission: Do you want to proceed?",
		"limit-menu":  "", // a hook has reported the limit
		"limit-wait":  "",
		"prompt":      "",
		"working":     "",
		"retry-429":   "",
		"retry-529":   "",
		"not-logged":  "", // a hook has reported this
		"after-error": "",
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", "screens", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got := Question(string(raw)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		wantRetry := map[string]string{
			"retry-429": "API error, trying again (2 of 3)", "retry-529": "API overloaded, trying again (6 of 10)",
		}[name]
		if got := TryingAgain(string(raw)); got != wantRetry {
			t.Errorf("%s: retry %q, want %q", name, got, wantRetry)
		}
	}
	if got := Question("Some new thing\n ❯ Yes\n   No\n Enter to confirm · Esc to cancel"); got != "asks a question" {
		t.Errorf("a menu that is not known: %q", got)
	}
	if got := Question("☐ Colour\n\n │ Which colour is the shop?\n ❯ 1. Red\n   2. Blue\n Enter to confirm · Esc to cancel"); got != "asks a question: Which colour is the shop?" {
		t.Errorf("a question is told as %q", got)
	}
	if got := Question("Select login method:\n" + strings.Repeat("later\n", screenLines)); got != "" {
		t.Errorf("what has scrolled away: %q", got)
	}
}

// FuzzScreen reads any screen: agents and their tools may print anything.
func FuzzScreen(f *testing.F) {
	f.Add("✻ 529 Overloaded · retrying in 17s · attempt 6/10\n❯ \n")
	f.Fuzz(func(t *testing.T, screen string) {
		if got := Question(screen) + TryingAgain(screen); len(got) > 1000 || strings.Contains(got, "\n") {
			t.Errorf("%q", got)
		}
	})
}
