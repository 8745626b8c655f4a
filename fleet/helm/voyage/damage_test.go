package voyage

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
)

// TestJournalIsFull has no room to record a change of the fleet. The journal gets it as soon as it can; otherwise a damaged
// fleet.json would be rebuilt from old facts.
func TestJournalIsFull(t *testing.T) {
	hub := helmtest.Hub(t)
	disk := newDisk(t, hub.Voyages)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	v := openStill(t, h, d)
	disk.fill(os.Getpid())
	for { // what is left of the journal's last block
		if _, err := v.journal.AddRecord(facts.KindNote, fleet.Note{Text: "x"}); err != nil {
			break
		}
	}
	if err := v.Roster.Change(func(f *fleet.Fleet) { f.Next = 7 }); err == nil {
		t.Fatal("it was written all the same")
	}
	disk.free()
	v.keeper.Save()
	if facts, err := fleet.ReadFacts(d); err != nil || facts.Fleet == nil || facts.Fleet.Next != 7 {
		t.Errorf("the journal tells %+v, %v", facts.Fleet, err)
	}
}

// TestNotesAreBounded says the same again and again, and many things.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	v := openIt(t, h, d)
	for range 100 {
		v.Notes.Add(fleet.Note{Text: "again"})
	}
	v.Book.Flush()
	raw, err := os.ReadFile(d.Events())
	if err != nil || strings.Count(string(raw), "again") != 1 {
		t.Errorf("journaled %d times, %v", strings.Count(string(raw), "again"), err)
	}
	for i := range 3 * facts.MaxNotes {
		v.Notes.Add(fleet.Note{Text: strings.Repeat("x", i)})
	}
	if b := v.Board(); len(b.Notes) != facts.MaxNotes || b.Notes[facts.MaxNotes-1].Text != strings.Repeat("x", 3*facts.MaxNotes-1) {
		t.Errorf("%d notes", len(b.Notes))
	}
}
