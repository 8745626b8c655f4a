package sailform

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/theme"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// TestScreens draws every state of the form on a narrow, a usual and a wide screen.
func TestScreens(t *testing.T) {
	theme.Activate(theme.Dark)
	t.Cleanup(func() { theme.Activate(theme.Terminal) })
	for name, prepare := range map[string]func(*harness){
		"fresh": func(*harness) {},
		"chosen": func(h *harness) {
			h.Press("har", "down", "down")
			h.looked()
		},
		"reading": func(h *harness) { h.Press("plans/add") },
		"defects": func(h *harness) {
			spoil(h)
			h.Press("plans/add-auth", "tab")
			h.looked()
		},
		"error": func(h *harness) {
			h.Press("example:tiny", "tab", "tab", "tab", "right", "tab", "owner/repo")
			h.looked()
			h.checked(nil, &problem.Problem{
				Kind: problem.Failed, Field: problem.Repo, Hint: "for a private repository set GH_TOKEN",
				Err: errors.New("repository owner/repo cannot be read: remote: Repository not found. fatal: repository 'https://github.com/owner/repo.git/' not found"),
			}, "")
		},
		"consent": func(h *harness) {
			h.Press("example:tiny")
			h.looked()
			h.checked(&launch.Order{Unwalled: errors.New("bubblewrap is not installed")}, nil, "sudo apt-get install -y bubblewrap")
			h.Press("space", "tab")
		},
	} {
		environ := "ANTHROPIC_API_KEY=sk-ant-fake"
		if name == "fresh" {
			environ = ""
		}
		h := open(t, environ)
		prepare(h)
		for _, width := range []int{60, 80, 120} {
			rows, _ := h.View(width, 30)
			golden.Screen(t, fmt.Sprintf("%s-%d", name, width), strings.Join(rows, "\n"), width, 30)
		}
	}
}

// spoil changes a plan into one that cannot sail.
func spoil(h *harness) {
	for name, text := range map[string]string{
		"tasks/7.json": `{"id": "7", "subject": "\u001b[31mRed", "description": "d", "blockedBy": ["gone", "8"]}`,
		"tasks/8.json": `{"id": "8", "subject": "Eight", "description": "d", "blockedBy": ["7"]}`,
		"tasks/9.json": `{"id": "9", "sub`,
	} {
		if err := os.WriteFile(filepath.Join(h.yard.Cwd, "plans", "add-auth", name), []byte(text), 0o644); err != nil {
			h.Fatal(err)
		}
	}
}
