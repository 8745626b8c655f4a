package hub

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/staging"
)

// TestTooDeep has a file below so many directories that git skips it: the snapshot notes that, and the merge refuses
// the work until the file is moved. The next checkout moves the directory aside.
func TestTooDeep(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "b.txt", "work\n")
	dig(t, c.ship.dir, 3000)
	got, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || got.Changed != 2 || !slices.ContainsFunc(got.Notes, func(n string) bool {
		return strings.Contains(n, "what is in d can't be read, or is too many directories deep")
	}) {
		t.Errorf("%+v, %v", got, err)
	}
	merge := sync.Merge{Name: "ship-1", Subject: "work", Author: "ship-1 <ship-1@voyage>"}
	var refused *sync.Refused
	if _, err := c.h.Merge(t.Context(), c.ship, merge); !errors.As(err, &refused) || !slices.Equal(refused.Paths, []string{"d"}) {
		t.Errorf("merged: %v", err)
	}
	c.checkout()
	if _, err := os.Lstat(filepath.Join(c.ship.dir, "d")); err == nil {
		t.Error("it is in the way of the next task")
	}
	put(t, c.ship.dir, "b.txt", "work\n")
	if _, err := c.h.Merge(t.Context(), c.ship, merge); err != nil {
		t.Error(err)
	}
}

// dig makes a file below deep nested directories.
func dig(t *testing.T, dir string, deep int) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	for range deep {
		if err != nil {
			t.Fatal(err)
		}
		err = at.Mkdir("d", 0o700)
		below, e := at.OpenRoot("d")
		at.Close()
		at, err = below, errors.Join(err, e)
	}
	if err == nil {
		err = at.WriteFile("file", []byte("deep"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	at.Close()
}

// TestClosedDirs parses warnings as git 2.39 prints them.
func TestClosedDirs(t *testing.T) {
	t.Parallel()
	said := "warning: could not open directory 'a/b/': Permission denied\n" +
		"warning: could not open directory 'it's/': Permission denied\n" +
		"warning: could not open directory 'gone/': No such file or directory\n" +
		"warning: unable to access 'a/.gitignore': Permission denied\n" +
		"warning: could not open directory '" + strings.Repeat("d/", 2030) + "\n"
	if got := staging.ClosedDirs(said); !slices.Equal(got, []string{"a/b", "it's", "d"}) {
		t.Errorf("%q", got)
	}
}
