package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMan writes a page for every command and topic. The page ocaptain(1) has the sections that belong to no command.
func TestMan(t *testing.T) {
	b, out := testBridge(t, 0)
	dir := t.TempDir()
	root := newRoot(b)
	root.SetArgs([]string{"man", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for words, c := range leaves(newRoot(b)) {
		if !c.Hidden {
			hasIn(t, filepath.Join(dir, "man1", "ocaptain-"+strings.ReplaceAll(words, " ", "-")+".1"), ".SH SYNOPSIS", ".SH DESCRIPTION")
		}
	}
	for _, c := range topics(b) {
		hasIn(t, filepath.Join(dir, "man7", "ocaptain-"+c.Name()+".7"), ".SH DESCRIPTION")
	}
	hasIn(t, filepath.Join(dir, "man1", "ocaptain.1"), ".SH EXIT STATUS", "130", ".SH FILES", "config.yaml", ".SH ENVIRONMENT", "OCAPTAIN_HOME", ".SH KEYS")
	out.Reset()
	root = newRoot(b)
	root.SetArgs([]string{"man"})
	if err := root.Execute(); err != nil || !strings.Contains(out.String(), ".SH EXIT STATUS") {
		t.Errorf("%v: %.300s", err, out)
	}
}

func hasIn(t *testing.T, file string, want ...string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	for _, w := range want {
		if !strings.Contains(string(raw), w) {
			t.Errorf("%s: %q is missing", filepath.Base(file), w)
		}
	}
}
