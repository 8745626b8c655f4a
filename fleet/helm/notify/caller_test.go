package notify

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
)

// stillCaller is the caller of a voyage that looks only when the test says so.
type stillCaller struct {
	*Caller
	t     *testing.T
	board fleet.Board
	notes []string
}

func newStillCaller(t *testing.T) *stillCaller {
	s := &stillCaller{t: t, board: fleet.Board{Voyage: fleet.Voyage{ID: "kite"}}}
	service := NewService(Service{
		Home: t.TempDir(), Config: "config", Command: func() ([]string, error) { return nil, nil }, Began: time.Now(),
		Awake: func(now time.Time) time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	s.Caller = service.NewCaller("kite", filepath.Join(t.TempDir(), "told.json"), func(text string) { s.notes = append(s.notes, text) })
	s.told, s.pauses = &Told{}, retry.Doubling(0, 0)
	return s
}

// propose puts a proposal for the captain on the board.
func (s *stillCaller) propose(text string) {
	id := len(s.board.Proposals) + 1
	s.board.Proposals = append(s.board.Proposals, fleet.Proposal{ID: id, At: time.Now(), Ship: "ship-" + text, Text: text})
}

func (s *stillCaller) looks() (again bool) { return s.look(s.t.Context(), s.board) }

// calls configures a script that records the announced needs and then runs text as shell commands. needs returns what
// was recorded.
func (s *stillCaller) calls(text string) (needs func() []need.Need) {
	s.t.Helper()
	dir := s.t.TempDir()
	path, log := filepath.Join(dir, "tell"), filepath.Join(dir, "log")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >>\"$1\"\n"+text), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.Command = func() ([]string, error) { return []string{path, log}, nil }
	return func() (all []need.Need) {
		raw, _ := os.ReadFile(log)
		for line := range strings.Lines(string(raw)) {
			var n need.Need
			if err := json.Unmarshal([]byte(line), &n); err != nil {
				s.t.Fatalf("%v: %q", err, raw)
			}
			all = append(all, n)
		}
		return all
	}
}

// A failed call is repeated until it succeeds, and the captain gets a single note.
func TestCallFails(t *testing.T) {
	t.Parallel()
	s := newStillCaller(t)
	needs := s.calls("echo no network >&2\nexit 1")
	s.propose("one")
	for i := range 5 {
		if !s.looks() || len(needs()) != i+1 {
			t.Fatalf("it gives up after %d calls", len(needs()))
		}
	}
	s.again = time.Now().Add(time.Hour)
	if !s.looks() || len(needs()) != 5 {
		t.Errorf("it called %d times, before its time", len(needs()))
	}
	s.propose("two")
	s.looks()
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], `exit status 1: no network`) || !strings.Contains(s.notes[0], "ocaptain doctor") {
		t.Errorf("notes: %q", s.notes)
	}
	needs = s.calls("")
	s.looks()
	if s.looks(); len(needs()) != 2 { // a new command is run at once
		t.Errorf("once it works it told of %+v", needs())
	}
	s.Command = func() ([]string, error) { return []string{"no-such-program-here"}, nil }
	s.propose("three")
	if s.looks(); len(s.notes) != 2 || !strings.Contains(s.notes[1], `"no-such-program-here" cannot be started`) {
		t.Errorf("when it fails anew: %q", s.notes)
	}
}

// The setting is read before each call: once it names a command, it announces earlier needs, too.
func TestCallByWhatIsSetNow(t *testing.T) {
	t.Parallel()
	s := newStillCaller(t)
	s.propose("one")
	if s.looks() {
		t.Error("nobody is called, and it looks again soon")
	}
	needs := s.calls("")
	if s.looks(); len(needs()) != 1 {
		t.Errorf("told of %+v", needs())
	}
}

// The caller of a voyage does not announce needs of the install.
func TestCallerOfVoyage(t *testing.T) {
	t.Parallel()
	s := newStillCaller(t)
	needs := s.calls("")
	s.board.Disk = fleet.Hindrance{Why: "the disk is full", Since: time.Now().Add(-time.Hour)}
	if s.looks() || len(needs()) > 0 {
		t.Errorf("a voyage calls for it: %+v", needs())
	}
}

// A need is announced once, also when helm restarts. If the record of what was announced is damaged, the captain hears of it again, and the
// record is written.
func TestCalledOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		between func(file string) error
		told    []string
	}{
		"a restart": {func(string) error { return nil }, []string{"one", "two"}},
		"no JSON":   {func(file string) error { return os.WriteFile(file, []byte("{\"calls\":"), 0o600) }, []string{"one", "one", "two"}},
	} {
		s := newStillCaller(t)
		needs := s.calls("")
		s.propose("one")
		s.looks()
		if err := c.between(s.file); err != nil {
			t.Fatal(err)
		}
		s.told, _ = Load(s.file, time.Now())
		s.propose("two")
		for range 3 {
			s.looks()
		}
		var told []string
		for _, n := range needs() {
			told = append(told, n.Why)
		}
		if again, err := Load(s.file, time.Now()); !slices.Equal(told, c.told) || err != nil || len(again.Calls) != 2 {
			t.Errorf("%s: told of %q; %+v on record, %v", name, told, again.Calls, err)
		}
	}
}
