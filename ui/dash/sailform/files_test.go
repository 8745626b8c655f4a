package sailform

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocaptain/ui/bring"
)

// checkout makes a repository with a git-ignored secret that the repository's own file brings.
func (h *harness) checkout(name string) {
	h.Helper()
	dir := filepath.Join(h.yard.Cwd, name)
	for file, text := range map[string]string{".gitignore": ".env\ncache/\n", ".env": "PASSWORD=hunter2hunter2\n", "cache/x": "1\n", bring.IncludeName: ".env\ncache/\n"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			h.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"}} {
		if out, err := exec.CommandContext(h.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			h.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

// The form shows which files go to ships, with secrets marked, and nothing sails before the captain agrees. The captain agrees only
// to what was shown.
func TestFiles(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.checkout("kite")
	h.checkout("other")
	h.Press("example:tiny")
	h.at = atRepo
	h.Press("./kite")
	h.looked()
	h.Shows("Files       ○ none  ○ bring", "2 files that git ignores, 26 B, 1 of", "! .env, 24 B, by .worktreeinclude: secret, it has", "cache/x, 2 B, by .worktreeinclude")
	h.Press("ctrl+s")
	h.Until("it asks", func() bool { return !h.checking })
	if h.Closed || h.at != atFiles {
		t.Fatalf("nobody agreed; closed: %v, at %d", h.Closed, h.at)
	}
	h.Press("right")
	h.looked()
	h.Shows("Files       ○ none  ● bring")
	if err := os.WriteFile(filepath.Join(h.yard.Cwd, "kite/cache/more"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	h.Press("ctrl+s")
	h.Until("it asks again", func() bool { return !h.checking })
	if h.Closed || h.bring.Chosen != "" {
		t.Fatal("files sail that were not shown")
	}
	h.Press("right")
	h.looked()
	h.at = atRepo
	h.Press("backspace", "e")
	if h.bring.Chosen != "" {
		t.Error("what was agreed to for one repository counts for another")
	}
	h.looked()
	h.at = atFiles
	h.Press("left")
	h.looked()
	h.Shows("Files       ● none")
	h.Press("ctrl+s")
	h.Until("the form closes", func() bool { return h.Closed })
	if len(h.order.Bring.Files) > 0 {
		t.Errorf("none was to be brought: %+v", h.order.Bring)
	}
}
