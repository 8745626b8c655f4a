package dash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// git runs git in the voyage's workspace, a given time before noon.
func (s *stage) git(before time.Duration, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.dir.Workspace()}, args...)...)
	at := fmt.Sprintf("%d +0000", noon.Add(-before).Unix())
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// finds commits a file to the voyage's branch.
func (s *stage) finds(before time.Duration, name, text string) {
	s.Helper()
	file := filepath.Join(s.dir.Workspace(), name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		s.Fatal(err)
	}
	s.git(before, "add", "-A")
	s.git(before, "commit", "-q", "-m", "x")
}

// discovered makes the repository of the voyage, with discoveries.
func (s *stage) discovered() {
	s.Helper()
	if err := os.MkdirAll(s.dir.Workspace(), 0o755); err != nil {
		s.Fatal(err)
	}
	s.git(0, "init", "-q", "-b", s.m.v.Board.Voyage.Branch)
	s.finds(60*time.Hour, "src/auth.ts", "one\ntwo\n")
	s.finds(50*time.Hour, "docs/discoveries/2026-11/1.1-a.md", "---\ntype: pattern\ntask: \"1\"\nauthor: ship-0\nfiles: [src/auth.ts]\n---\n\nTokens are checked in auth.ts, before anything else is read.\n\nSo a request without one costs nothing.\n")
	s.finds(5*time.Hour, "docs/discoveries/2026-11/2.1-b.md", "---\ntype: convention\n---\n\nErrors begin with the name of what failed.\n")
	s.finds(2*time.Hour, "src/auth.ts", "three\nfour\n")
	s.finds(time.Hour, "docs/discoveries/README.md", "What is here.\n")
}

// TestScreensOfDiscoveries shows the list, the whole text of one discovery, and a voyage without discoveries.
func TestScreensOfDiscoveries(t *testing.T) {
	open := func(s *stage) {
		s.press("F")
		s.until("the page is read", func() bool { return !strings.Contains(s.text(), "reading what") })
	}
	for name, keys := range map[string][]string{"discoveries": nil, "discovery": {"j", "enter"}} {
		each(t, name, func(t *testing.T, w, h int, file string) {
			s := setStage(t, w, h, aBoard(t), someLogs(), nil)
			s.discovered()
			open(s)
			s.press(keys...)
			s.golden(file)
		})
	}
	each(t, "no-discoveries", func(t *testing.T, w, h int, file string) {
		s := setStage(t, w, h, aBoard(t), someLogs(), nil)
		s.discovered()
		s.git(0, "rm", "-q", "-r", "docs")
		s.git(0, "commit", "-q", "-m", "x")
		open(s)
		s.golden(file)
	})
}

// TestDiscoveriesFollow: the open page shows new discoveries, and esc leads back a step at a time.
func TestDiscoveriesFollow(t *testing.T) {
	b := aBoard(t)
	s := setStage(t, 120, 40, b, someLogs(), nil)
	s.discovered()
	s.press("F")
	s.until("it is read", func() bool { return strings.Contains(s.text(), "Tokens are checked") })
	s.finds(time.Minute, "docs/discoveries/2026-11/3.1-c.md", "---\ntype: gotcha\n---\n\nThe clock of the server counts.\n")
	b.At, b.Head = noon.Add(1), s.git(0, "rev-parse", "HEAD")
	s.write(s.dir.BoardFile(), b)
	s.until("it is read again", func() bool { return strings.Contains(s.text(), "The clock of the server") })
	s.press("G", "enter")
	s.shows("So a request without one", "docs/discoveries/2026-11/1.1-a.md")
	s.press("esc")
	s.shows("Errors begin with the name")
	s.press("esc")
	if !s.m.atHome() {
		t.Errorf("esc leads to %d", s.m.place)
	}
}
