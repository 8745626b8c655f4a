package notes

import (
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/wake"
	"ocaptain/tasks/journal"
)

// TestAdd: what is said again is written down once, without secrets, and what is restated is there twice.
func TestAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	b := book.Open(j, func(string, error) {})
	defer b.Close()
	paint := wake.New()
	n := New(b, func(s string) string { return strings.ReplaceAll(s, "secret", "***") }, paint, nil)
	for range 2 {
		n.Add(fleet.Note{Ship: "ship-0", Text: "a secret"})
		n.Tell("all is well")
	}
	<-paint
	if all := n.List(); len(all) != 2 || all[0].Text != "a ***" || all[0].At.IsZero() || all[1].Ship != "" {
		t.Errorf("%+v", all)
	}
	written := func() (count int) {
		b.Flush()
		if _, err := journal.Read(path, 0, func(journal.Record) error { count++; return nil }); err != nil {
			t.Fatal(err)
		}
		return count
	}
	if got := written(); got != 2 {
		t.Errorf("%d are written down", got)
	}
	if n.Restate(); written() != 4 {
		t.Errorf("%d are written down again", written()-2)
	}
}
