package launch_test

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/ui/launch"
)

// TestBelowTop takes a directory inside a repository for the repository, and says what agents do not get.
func TestBelowTop(t *testing.T) {
	y := realYard(t)
	dir, _ := committed(t, y)
	sub := filepath.Join(dir, "sub")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(want bool) {
		t.Helper()
		y.Cwd = sub
		o, err := y.CheckSession(t.Context(), launch.Wish{Agent: "script"}, aSession)
		if err != nil || o.Work.Repo.Name != dir || (len(o.Borrowed) > 0) != want {
			t.Errorf("%v, %v, %v", o.Work.Repo, o.Borrowed, err)
		}
		o, err = y.CheckDispatch(t.Context(), launch.Wish{Repo: ".", Agent: "script"}, &launch.Command{Text: "true"})
		if name, _ := o.Pool(); err != nil || name != "kite" || o.Work.Repo.Name != dir || (len(o.Borrowed) > 0) != want {
			t.Errorf("pool %s of %v, %v, %v", name, o.Work.Repo, o.Borrowed, err)
		}
	}
	check(false)
	if err := os.WriteFile(filepath.Join(sub, "notes"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(true)
	ignore := "[core]\n\texcludesFile = ~/ignored\n"
	for name, text := range map[string]string{"../.gitconfig": ignore, "../ignored": "notes\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check(false)
}
