package helm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// TestDamagedVoyages damages some voyages in different ways: the others go on, the damage
// is told, machines can be sunk, and a voyage that was mended is taken up.
func TestDamagedVoyages(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	sound := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"))
	noWork := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
	alien := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
	damaged := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "sleep 600"))
	first := startHelm(t, hub)
	for _, d := range []fleet.Dir{sound, damaged} {
		if err := openIt(t, first, d).provisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
			t.Fatal(err)
		}
	}
	first.close()
	if err := os.Rename(noWork.Workspace(), noWork.Workspace()+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := (&fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship-0", Provider: "moon", Phase: fleet.Afloat}}}).Save(alien); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{damaged.Voyage(), damaged.FleetFile(), damaged.Events(), damaged.BoardFile()} {
		if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	h := startHelm(t, hub)
	sinkAfter(t, h, sound)
	h.takeUp()
	hello, _ := h.answerHello(nil)
	if got := hello.(api.Hello); len(got.Damaged) != 3 || len(got.Voyages) != 1 || got.Voyages[0] != sound.ID() {
		t.Errorf("helm says %+v", got)
	}
	eventually.Holds(t, "the sound one is complete", openIt(t, h, sound).is(fleet.Complete))
	if err := h.sinkDamaged(damaged, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, damaged)
	if f, err := fleet.LoadFleet(damaged); err != nil || f.Phase != fleet.Sunk {
		t.Errorf("the damaged is %s, %v", f.Phase, err)
	}
	if _, err := h.open(noWork); err == nil {
		t.Error("a voyage without its workspace was opened")
	}
	if err := os.Rename(noWork.Workspace()+"-away", noWork.Workspace()); err != nil {
		t.Fatal(err)
	}
	openIt(t, h, noWork)
}

// TestDiskIsFull cannot write fleet.json for a while: what changed is written as soon
// as it can be.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	v := openStill(t, h, d)
	if err := os.Mkdir(d.FleetFile(), 0o755); err != nil { // no file can take its place
		t.Fatal(err)
	}
	if err := v.change(func(f *fleet.Fleet) { f.Next = 7 }); err == nil {
		t.Fatal("it was written all the same")
	}
	if err := os.Remove(d.FleetFile()); err != nil {
		t.Fatal(err)
	}
	v.save()
	if f, err := fleet.LoadFleet(d); err != nil || f.Next != 7 {
		t.Errorf("read back %+v, %v", f, err)
	}
	if temp, _ := filepath.Glob(filepath.Join(string(d), ".fleet.json*")); len(temp) > 0 {
		t.Errorf("left behind: %s", temp)
	}
}

// TestJournalIsFull has no room for what changed of the fleet: the journal, too, tells it as soon as it can, or what is made
// anew of a damaged fleet.json would be old.
func TestJournalIsFull(t *testing.T) {
	hub := newHub(t)
	disk := newDisk(t, hub.Voyages)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	v := openStill(t, h, d)
	disk.fill(os.Getpid())
	for { // what is left of the journal's last block
		if _, err := v.journal.AddRecord(kindNote, fleet.Note{Text: "x"}); err != nil {
			break
		}
	}
	if err := v.change(func(f *fleet.Fleet) { f.Next = 7 }); err == nil {
		t.Fatal("it was written all the same")
	}
	disk.free()
	v.save()
	if facts, err := fleet.ReadFacts(d); err != nil || facts.Fleet == nil || facts.Fleet.Next != 7 {
		t.Errorf("the journal tells %+v, %v", facts.Fleet, err)
	}
}

// TestNotesAreBounded says the same again and again, and many things.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	v := openIt(t, h, d)
	for range 100 {
		v.addNote(fleet.Note{Text: "again"})
	}
	raw, err := os.ReadFile(d.Events())
	if err != nil || strings.Count(string(raw), "again") != 1 {
		t.Errorf("journaled %d times, %v", strings.Count(string(raw), "again"), err)
	}
	for i := range 3 * maxNotes {
		v.addNote(fleet.Note{Text: strings.Repeat("x", i)})
	}
	if b := v.currentBoard(); len(b.Notes) != maxNotes || b.Notes[maxNotes-1].Text != strings.Repeat("x", 3*maxNotes-1) {
		t.Errorf("%d notes", len(b.Notes))
	}
}
