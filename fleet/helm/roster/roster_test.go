package roster

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/wake"
	"ocaptain/tasks/eventually"
)

var errClosed = errors.New("closed")

// sailing returns the roster of a voyage with two ships, and its directory.
func sailing(t *testing.T) (*Roster, fleet.Dir) {
	t.Helper()
	v := notestest.New(t)
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship-0", Provider: "local"}, {Name: "ship-1", Provider: "local"}}}
	r := New(Options{
		Dir: v.Dir, Files: &kept.Files{}, Book: v.Book, Log: slog.New(slog.DiscardHandler), News: &wake.News{}, Paint: wake.New(), Closed: errClosed,
	}, f, fleet.Recorder{})
	return r, v.Dir
}

// hasNext fails the test if fleet.json or the journal has another number of the next ship.
func hasNext(t *testing.T, d fleet.Dir, want int) {
	t.Helper()
	f, err := fleet.LoadFleet(d)
	told, e := fleet.ReadFacts(d)
	if err := errors.Join(err, e); err != nil || told.Fleet == nil {
		t.Fatalf("%+v, %v", told, err)
	}
	if f.Next != want || told.Fleet.Next != want || len(told.Fleet.Ships) != 2 {
		t.Errorf("fleet.json has %d, the journal %+v, want %d", f.Next, told.Fleet, want)
	}
}

// TestNowStays alters the fleet in every way: who has read it before has it as it was.
func TestNowStays(t *testing.T) {
	t.Parallel()
	r, _ := sailing(t)
	r.Alter(func(f *fleet.Fleet) { f.Lasted(time.Now(), &fleet.Ship{Provider: "hosts"}) })
	was, ship := r.Now(), r.Ship("ship-0")
	r.ChangeShip("ship-0", func(s *fleet.Ship) { s.Phase = fleet.Going })
	r.ChangeShip("ship-9", func(*fleet.Ship) { t.Error("there is no ship-9") })
	r.Look(func(f *fleet.Fleet) bool { f.Ships[0].Idle = time.Hour; return true })
	r.Alter(func(f *fleet.Fleet) {
		f.Phase, f.Ships = fleet.Sinking, f.Ships[:1]
		f.Lasted(time.Now(), &fleet.Ship{Provider: "local"})
	})
	if was.Phase != fleet.Sailing || len(was.Ships) != 2 || ship.Phase != "" || ship.Idle != 0 || len(was.Gone) != 1 {
		t.Errorf("it was %+v, %+v", was, ship)
	}
	if now := r.Now(); now.Phase != fleet.Sinking || now.Since.IsZero() || len(now.Ships) != 1 || now.Ships[0].Phase != fleet.Going || now.Ships[0].Idle != time.Hour || len(now.Gone) != 2 {
		t.Errorf("it is %+v", now)
	}
}

// TestClosed: a change of a closed roster fails, and fleet.json stays as it is.
func TestClosed(t *testing.T) {
	t.Parallel()
	r, d := sailing(t)
	if err := r.Change(func(f *fleet.Fleet) { f.Next = 7 }); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := r.Change(func(f *fleet.Fleet) { f.Next = 1 }); !errors.Is(err, errClosed) {
		t.Errorf("change returns %v", err)
	}
	if f, err := fleet.LoadFleet(d); err != nil || f.Next != 7 {
		t.Errorf("fleet.json has %+v, %v", f, err)
	}
}

// TestNotWritten cannot write fleet.json, and then not the journal: the next save writes what both lack.
func TestNotWritten(t *testing.T) {
	t.Parallel()
	r, d := sailing(t)
	if err := os.Mkdir(d.FleetFile(), 0o755); err != nil { // no file can take its place
		t.Fatal(err)
	}
	if err := r.Change(func(f *fleet.Fleet) { f.Next = 7 }); err == nil || r.IsSaved() {
		t.Fatal("it was written all the same")
	}
	if err := os.Remove(d.FleetFile()); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(); err != nil || !r.IsSaved() {
		t.Error(err)
	}
	hasNext(t, d, 7)
	if temp, _ := filepath.Glob(filepath.Join(string(d), ".fleet.json*")); len(temp) > 0 {
		t.Errorf("left behind: %s", temp)
	}
	if err := os.Truncate(d.Events(), 0); err != nil { // as if it had had no room
		t.Fatal(err)
	}
	r.NotWritten(errors.New("no room"))
	if r.IsSaved() || r.Recorded() == nil {
		t.Error("the journal has all")
	}
	if err := r.Save(); err != nil {
		t.Error(err)
	}
	hasNext(t, d, 7)
}

// TestFileHangs: while a write of fleet.json hangs, the fleet is read and altered. Changes return when the file has them, and not before.
func TestFileHangs(t *testing.T) {
	t.Parallel()
	r, d := sailing(t)
	r.o.Files.Lock() // as who writes a file holds it
	written := make(chan error, 2)
	for range 2 {
		go func() { written <- r.Change(func(f *fleet.Fleet) { f.Next++ }) }()
	}
	eventually.Holds(t, "both changes", func() bool { return r.Now().Next == 2 })
	if r.Alter(func(f *fleet.Fleet) { f.Next++ }); len(written) > 0 {
		t.Errorf("%d changes are written", len(written))
	}
	r.o.Files.Unlock()
	for range 2 {
		if err := eventually.Receives(t, "the changes", written); err != nil {
			t.Error(err)
		}
	}
	if err := r.Save(); err != nil || !r.IsSaved() {
		t.Error(err)
	}
	hasNext(t, d, 3)
}

// TestNewsComeAfter changes the phase again and again: a goroutine that waits for news, and reads the phase then, sees each change.
func TestNewsComeAfter(t *testing.T) {
	t.Parallel()
	r, _ := sailing(t)
	for range 100 {
		for _, phase := range []fleet.Phase{fleet.Verifying, fleet.Complete} {
			go r.Alter(func(f *fleet.Fleet) { f.Phase = phase })
			for news := r.o.News.Next(); r.Now().Phase != phase; news = r.o.News.Next() {
				eventually.Receives(t, "news of "+string(phase), news)
			}
		}
	}
}

// TestLook: what ships were seen to do is in fleet.json when it is to tell, and never in the journal.
func TestLook(t *testing.T) {
	t.Parallel()
	r, d := sailing(t)
	if err := r.Change(func(f *fleet.Fleet) { f.Next = 1 }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	for _, save := range []bool{false, true} {
		r.Look(func(f *fleet.Fleet) bool { f.Ships[0].Idle += time.Minute; return save })
		if r.IsSaved() == save {
			t.Errorf("saved: %t, want %t", !save, save)
		}
		if err := r.Save(); err != nil {
			t.Error(err)
		}
	}
	if f, err := fleet.LoadFleet(d); err != nil || f.Ships[0].Idle != 2*time.Minute {
		t.Errorf("%+v, %v", f, err)
	}
	if now, err := os.Stat(d.Events()); err != nil || now.Size() != info.Size() {
		t.Errorf("the journal grew from %d to %d bytes, %v", info.Size(), now.Size(), err)
	}
	if r.Outdate(); r.IsSaved() {
		t.Error("it is not outdated")
	}
}
