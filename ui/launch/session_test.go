package launch_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// committed makes a repository with one commit, and returns a function that runs git there.
func committed(t *testing.T, y launch.Yard) (dir string, git func(args ...string)) {
	t.Helper()
	dir = filepath.Join(y.Cwd, "kite")
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-qm", "one")
	return dir, git
}

var aSession = launch.Session{
	Text: `echo '{"tasks": [{"title": "x", "run": "echo x >x"}]}' | ocaptain task plan -`, Priority: 2, Workers: 1, Branch: "feat/x", Verify: "test -e x",
}

// TestSession: a session brings the requested work to its branch. Another session for that branch is refused.
func TestSession(t *testing.T) {
	y := realYard(t)
	dir, _ := committed(t, y)
	w := launch.Wish{Repo: dir, Agent: "script"}
	o, err := y.CheckSession(t.Context(), w, aSession)
	if err != nil {
		t.Fatal(err)
	}
	d, err := y.StartVoyage(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	arrives(t, d)
	v, err := fleet.LoadVoyage(d)
	if err != nil || v.Kind != fleet.Session || v.Branch != "feat/x" {
		t.Errorf("%+v, %v", v, err)
	}
	if out, err := exec.Command("git", "-C", d.Workspace(), "show", "feat/x:x").Output(); string(out) != "x\n" {
		t.Errorf("the branch has %q, %v", out, err)
	}
	if _, err := y.CheckSession(t.Context(), w, aSession); err == nil || !strings.Contains(err.Error(), d.ID()) {
		t.Errorf("another one: %v", err)
	}
}

// TestSessionWrong: problems are reported before anything is made.
func TestSessionWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(git func(...string), dir string, w *launch.Wish, s *launch.Session)
		want   string
	}{
		{"no repository", func(_ func(...string), dir string, _ *launch.Wish, _ *launch.Session) {
			_ = os.RemoveAll(filepath.Join(dir, ".git"))
		}, "kite"},
		{"uncommitted", func(_ func(...string), dir string, _ *launch.Wish, _ *launch.Session) {
			_ = os.WriteFile(filepath.Join(dir, "README"), []byte("y\n"), 0o644)
		}, "not committed"},
		{"fetch of nothing", func(_ func(...string), _ string, w *launch.Wish, _ *launch.Session) { w.Repo, w.Fetch = "none", true }, "fresh repository"},
		{"base", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Base = "nope" }, `no branch, tag or commit "nope"`},
		{"branch of the source", func(git func(...string), _ string, _ *launch.Wish, _ *launch.Session) {
			git("checkout", "-q", "-b", "feat/x")
			git("commit", "-q", "--allow-empty", "-m", "theirs")
			git("checkout", "-q", "main")
		}, "a branch feat/x already"},
		{"branch of the source at a URL", func(git func(...string), dir string, w *launch.Wish, _ *launch.Session) {
			git("checkout", "-q", "-b", "feat/x")
			git("commit", "-q", "--allow-empty", "-m", "theirs")
			git("checkout", "-q", "main")
			w.Repo = "file://" + dir
		}, "a branch feat/x already"},
		{"no room for the branch", func(git func(...string), _ string, _ *launch.Wish, _ *launch.Session) { git("branch", "feat") }, "none called feat/x"},
		{"base at a URL", func(git func(...string), dir string, w *launch.Wish, s *launch.Session) {
			git("update-ref", "refs/remotes/origin/main", "main")
			w.Repo, s.Base = "file://"+dir, "origin/main"
		}, `"origin/main"`},
		{"base of nothing", func(_ func(...string), _ string, w *launch.Wish, s *launch.Session) { w.Repo, s.Base = "none", "main" }, "fresh repository"},
		{"own head", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Branch = "HEAD" }, `branch "HEAD"`},
		{"whole ref", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Branch = "refs/heads/x" }, "refs/heads/x"},
		{"branch", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Branch = "a..b" }, "a..b"},
		{"priority", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Priority = 9 }, "priority 9"},
		{"text", func(_ func(...string), _ string, _ *launch.Wish, s *launch.Session) { s.Text = "x\x1b[2J" }, "the task has the control character"},
		{"shares", func(_ func(...string), _ string, w *launch.Wish, _ *launch.Session) { w.Provider = "local=5" }, "1 planner, 1 worker and 0 validators are 2 ships"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := realYard(t)
			dir, git := committed(t, y)
			w, s := launch.Wish{Repo: dir, Agent: "script", Provider: "local"}, aSession
			c.change(git, dir, &w, &s)
			_, err := y.CheckSession(t.Context(), w, s)
			var p *problem.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if left, _ := os.ReadDir(y.Hub.Voyages); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestTooManyShips: a repository's captain.yaml cannot ask for more ships than the captain's own limit.
func TestTooManyShips(t *testing.T) {
	y := realYard(t)
	dir, _ := committed(t, y)
	s := aSession
	s.Workers, s.FromRepository = 9, 9
	w := launch.Wish{Repo: dir, Agent: "script", Captain: y.CaptainFile(t.Context(), dir, "")}
	if _, err := y.CheckSession(t.Context(), w, s); err == nil || !strings.Contains(err.Error(), "are 9 ships, and the captain.yaml of a repository may ask for at most 8") {
		t.Errorf("got %v", err)
	} else if p, ok := errors.AsType[*problem.Problem](err); !ok || !strings.Contains(p.Hint, "write in "+y.Hub.ConfigFile()+": repository: {max_ships: 9}") {
		t.Errorf("the hint is %+v", p)
	}
	s.Workers, s.FromRepository = 1000, 0
	if _, err := y.CheckSession(t.Context(), w, s); err == nil || !strings.Contains(err.Error(), "1001 ships") {
		t.Errorf("got %v", err)
	}
}

// TestSessionName names a session after its text.
func TestSessionName(t *testing.T) {
	y := realYard(t)
	dir, _ := committed(t, y)
	for text, want := range map[string]string{"Add login, with sessions!\nand more": "add-login-with-sessions", "日本 login": "日本-login", "": "work", "🚀": "work"} {
		s := aSession
		s.Text, s.Branch = text, ""
		o, err := y.CheckSession(t.Context(), launch.Wish{Repo: dir, Agent: "script"}, s)
		if err != nil || o.Plan.Name != want {
			t.Errorf("%q becomes %q, %v", text, o.Plan.Name, err)
		}
	}
}
