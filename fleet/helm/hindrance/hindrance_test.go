package hindrance

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/wake"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/redislog"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestBlocked(t *testing.T) {
	work := blocked{}
	if work.retryIn(noon, "1") != 0 {
		t.Error("work is blocked from the beginning")
	}
	if !work.add(noon, "1", "your a.go") || work.add(noon.Add(time.Second), "1", "your b.go") {
		t.Error("it begins twice, or never")
	}
	if is := work["1"]; is.Why != "your b.go" || !is.Since.Equal(noon) {
		t.Errorf("blocked by %+v", is)
	}
	if in := work.retryIn(noon.Add(2*time.Second), "1"); in != 4*time.Second || work.retryIn(noon, "2") != 0 {
		t.Errorf("retried in %s", in)
	}
}

// hindered returns the hindrances of a voyage's directory, and the notes to the captain.
func hindered(t *testing.T) (h *Hindrances, told func() []string) {
	t.Helper()
	v := notestest.New(t)
	return New(Options{Dir: v.Dir, Journal: v.Journal, Log: slog.New(slog.DiscardHandler), News: &wake.News{}, Paint: wake.New(), Notes: v.Notes}), v.Told
}

// TestOrAway: a ship must ask again exactly when the hub is to blame, and the captain is told once about each
// hindrance.
func TestOrAway(t *testing.T) {
	locked, dirty := &sync.Hindered{Why: "a lock"}, &sync.Hindered{Why: "your a.go is not committed", Paths: []string{"a.go"}}
	for name, c := range map[string]struct {
		err  error
		away bool
		told string // "" for nothing
	}{
		"nothing":            {nil, false, ""},
		"the asker":          {&tasks.Refusal{Why: tasks.Taken}, false, ""},
		"a clash":            {&sync.Conflict{Paths: []string{"a"}}, false, ""},
		"the work":           {&sync.Refused{Why: "too large"}, false, ""},
		"who knows":          {errors.New("who knows"), false, ""},
		"Redis":              {redislog.ErrLost, true, ""},
		"the repository":     {locked, true, "nothing is merged: a lock"},
		"the captain's file": {dirty, true, "its work waits: your a.go"},
	} {
		h, told := hindered(t)
		for range 2 {
			if err := h.OrAway("1", c.err); blame.IsAway(err) != c.away || !c.away && !errors.Is(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if all := strings.Join(told(), "\n"); strings.Contains(all, "\n") || !strings.HasPrefix(all, c.told) || (all == "") != (c.told == "") {
			t.Errorf("%s: the captain is told %q", name, all)
		}
		if held := h.CheckRepository() != nil; held != (name == "the repository") {
			t.Errorf("%s: merges are held back: %v", name, held)
		}
		if blocked := h.RetryIn("1") > 0; blocked != (name == "the captain's file") {
			t.Errorf("%s: the work is blocked: %v", name, blocked)
		}
	}
}

// TestDisk: while nothing can be written, the hub is to blame for any error, and all who wait are woken when writing
// works again.
func TestDisk(t *testing.T) {
	h, told := hindered(t)
	dir := string(h.o.Dir)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	news := h.o.News.Next()
	for range 2 {
		if err := h.OrAway("1", fs.ErrInvalid); !blame.IsAway(err) || !h.IsFull() || h.CheckDisk() == nil {
			t.Fatalf("it counts as %v", err)
		}
	}
	<-news
	news = h.o.News.Next()
	if err := errors.Join(os.Rename(dir+".away", dir), h.CheckDisk()); err != nil || h.IsFull() {
		t.Errorf("it goes on with %v", err)
	}
	<-news
	if all := told(); len(all) != 2 || !strings.HasPrefix(all[0], "nothing is handed out or merged") || all[1] != "the hub can write again, and goes on" {
		t.Errorf("the captain is told %q", all)
	}
}

// TestShow: a board shows the hindrances, and for each task what keeps its work from the branch.
func TestShow(t *testing.T) {
	h, _ := hindered(t)
	h.SetVerify(&fleet.ChangedError{})
	h.SetUnread("it is locked")
	var b fleet.Board
	b.Tasks = []tasks.State{
		{Task: tasks.Task{ID: "1", Status: tasks.InProgress}}, {Task: tasks.Task{ID: "2", Status: tasks.Completed}}, {Task: tasks.Task{ID: "3", Status: tasks.InProgress}},
	}
	h.Block("1", "your a.go")
	h.Block("2", "your a.go")
	h.Block("3", "your a.go")
	h.Unblock("3")
	h.Show(&b)
	if !b.Unverified.Changed || b.Unread.Why != "it is locked" || !b.Repository.IsNone() || len(b.InTheWay) != 1 || b.InTheWay["1"].Why != "your a.go" {
		t.Errorf("%+v, %+v, %+v, %+v", b.Unverified, b.Unread, b.Repository, b.InTheWay)
	}
	h.SetVerify(nil)
	if h.Show(&b); !b.Unverified.IsNone() {
		t.Errorf("it ran, and %+v", b.Unverified)
	}
}
