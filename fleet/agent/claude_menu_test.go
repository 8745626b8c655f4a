package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only the menu about a limit is closed by a key, since closing another menu would answer its question.
func TestClaudeDismiss(t *testing.T) {
	screens := map[string]string{}
	for _, name := range []string{"limit-menu", "limit-wait", "prompt", "working", "trust", "bypass", "key", "login", "permission"} {
		raw, err := os.ReadFile(filepath.Join("..", "aboard", "prompt", "testdata", "screens", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		screens[name] = string(raw)
	}
	menu := screens["limit-menu"]
	screens["prompt under the words"] = menu + screens["prompt"]
	screens["permission under the words"] = menu + "▔▔▔▔▔▔▔▔\n" + screens["permission"]
	screens["words without a frame"] = strings.ReplaceAll(menu, "▔", "")
	screens["nothing"] = ""
	for name, text := range screens {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		s := Screen{Lines: lines, Y: len(lines) - 1}
		for y, line := range lines { // the cursor is at the choice or in the prompt
			if strings.HasPrefix(strings.TrimSpace(line), "❯") {
				s.X, s.Y = 2, y
			}
		}
		want := ""
		if name == "limit-menu" {
			want = "Escape"
		}
		if got := claudeDismiss(s); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
