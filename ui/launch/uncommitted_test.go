package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/ui/launch"
	"ocaptain/ui/launch/repository"
)

// writeFile writes a file of a test's repository with a time long past, so that git compares its content later.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644), os.Chtimes(name, long, long)); err != nil {
		t.Fatal(err)
	}
}

// TestHostileFilters changes all files of a repository for which the repository's own configuration names a filter.
// No filter runs.
func TestHostileFilters(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	trap := filepath.Join(t.TempDir(), "trap")
	writeFile(t, trap, "#!/bin/sh\ntouch \"$0-$1\"\ncat\n")
	if err := os.Chmod(trap, 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"", "a.b", "eq=ual", "included", "process", "worktree"}
	var rules strings.Builder
	for i, name := range names {
		file := string(rune('a' + i))
		rules.WriteString(file + " filter=" + name + "\n")
		writeFile(t, filepath.Join(dir, file), "1\n")
	}
	writeFile(t, filepath.Join(dir, ".gitattributes"), rules.String())
	inner := filepath.Join(dir, "sub")
	writeFile(t, filepath.Join(inner, "file"), "1\n")
	writeFile(t, filepath.Join(inner, ".gitattributes"), "file filter=inner\n")
	git("init", "-q", "sub")
	git("-C", "sub", "add", ".")
	git("-C", "sub", "commit", "-qm", "one")
	git("-c", "advice.addEmbeddedRepo=false", "add", ".")
	git("commit", "-qm", "two")

	git("-C", "sub", "config", "filter.inner.clean", trap+" inner")
	git("config", "extensions.worktreeConfig", "true")
	git("config", "--worktree", "filter.worktree.clean", trap+" worktree")
	git("config", "include.path", "more")
	git("config", "--file", ".git/more", "filter.included.clean", trap+" included")
	for _, name := range []string{"", "a.b", "eq=ual"} {
		git("config", "filter."+name+".clean", trap+" x"+name)
		git("config", "filter."+name+".required", "true")
	}
	git("config", "filter.process.process", trap+" process")
	for _, file := range []string{"a", "b", "c", "d", "e", "f", "sub/file"} {
		writeFile(t, filepath.Join(dir, file), "2\n")
		later := time.Now().Add(-time.Minute) // git may count in seconds: a file with the same time as before would count as unchanged
		if err := os.Chtimes(filepath.Join(dir, file), later, later); err != nil {
			t.Fatal(err)
		}
	}

	got, err := repository.OwnFilters(t.Context(), dir)
	if err != nil || !slices.Equal(got, names) {
		t.Errorf("its filters are %q, %v, want %q", got, err, names)
	}
	wish := launch.Wish{Repo: dir, Agent: "script"}
	check := func() {
		t.Helper()
		o, err := y.CheckSession(t.Context(), wish, aSession)
		if err != nil || len(o.Borrowed) != 1 || !strings.Contains(o.Borrowed[0].What, "may have changes that are not committed, like in a: only its filter") {
			t.Errorf("a session: %+v, %v", o.Borrowed, err)
		}
		o, err = y.CheckDispatch(t.Context(), wish, &launch.Command{Text: "true"})
		if err != nil || len(o.Borrowed) != 1 || !strings.Contains(o.Borrowed[0].What, "like in a: ") {
			t.Errorf("a dispatch: %+v, %v", o.Borrowed, err)
		}
		if sprung, _ := filepath.Glob(trap + "-*"); len(sprung) > 0 {
			t.Fatalf("ran: %v", sprung)
		}
	}
	check()
	writeFile(t, filepath.Join(dir, "README"), "y\n")
	if _, err := y.CheckSession(t.Context(), wish, aSession); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("a file without a filter is changed: %v", err)
	}
	if sprung, _ := filepath.Glob(trap + "-*"); len(sprung) > 0 {
		t.Fatalf("ran: %v", sprung)
	}
	git("checkout", "README") // afterwards the traps are known to work
	git("status")
	if sprung, _ := filepath.Glob(trap + "-*"); len(sprung) != len(names)+1 {
		t.Errorf("git itself runs only %v", sprung)
	}
}
