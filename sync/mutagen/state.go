package mutagen

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ocaptain/sync/bounded"
)

// State is a session as Mutagen tells it.
type State struct {
	ID     string            `json:"identifier"`
	Mode   string            `json:"mode"`
	Labels map[string]string `json:"labels"`
	A      Side              `json:"alpha"`
	B      Side              `json:"beta"`
	Paused bool              `json:"paused"`
	Status string            `json:"status"`
	Error  string            `json:"lastError"`        // of the last time that it could not go on, "" once it has
	Cycles int               `json:"successfulCycles"` // since both sides were reached

	Conflicts     []Conflict `json:"conflicts"`
	MoreConflicts int        `json:"excludedConflicts"`
}

// Side is one side of a session.
type Side struct {
	Endpoint
	Connected bool `json:"connected"`
	Scanned   bool `json:"scanned"`
	Files     int  `json:"files"`

	Scan        []Problem `json:"scanProblems"` // what could not be read, and stays where it is
	MoreScan    int       `json:"excludedScanProblems"`
	Brought     []Problem `json:"transitionProblems"` // what could not be written
	MoreBrought int       `json:"excludedTransitionProblems"`
}

// Problem is a path that does not travel.
type Problem struct {
	Path string `json:"path"` // "" for the whole directory
	Why  string `json:"error"`
}

// Conflict is a path that both sides have changed.
type Conflict struct {
	Root string   `json:"root"`
	A    []Change `json:"alphaChanges"`
	B    []Change `json:"betaChanges"`
}

// Change is what one side has changed.
type Change struct {
	Path string `json:"path"`
	Old  *Entry `json:"old"` // nil for nothing
	New  *Entry `json:"new"`
}

// Entry is what is at a path.
type Entry struct {
	Kind   string `json:"kind"`
	Digest string `json:"digest"`
}

// Halted says why a session stopped by itself, so that nothing is deleted on the other side; it is "" while the session goes on.
func (s State) Halted() string {
	switch s.Status {
	case "halted-on-root-emptied":
		return "all files were removed"
	case "halted-on-root-deletion":
		return "the whole directory was removed"
	case "halted-on-root-type-change":
		return "something else is in the directory's place"
	}
	return ""
}

// Connected reports whether both sides can be reached.
func (s State) Connected() bool { return s.A.Connected && s.B.Connected }

// CountConflicts is how many paths both sides have changed.
func (s State) CountConflicts() int { return len(s.Conflicts) + s.MoreConflicts }

// Problems are the paths that do not travel, of both sides, and how many more there are.
func (s State) Problems() (all []Problem, more int) {
	for _, side := range []Side{s.A, s.B} {
		all = append(append(all, side.Scan...), side.Brought...)
		more += side.MoreScan + side.MoreBrought
	}
	return all, more
}

// Bounds on what is kept of a session, in bytes and entries.
const (
	mostText    = 1000
	mostPath    = 4096
	mostListed  = 50
	mostSession = 1000
)

// bound cuts what a session says to what is kept.
func (s *State) bound() {
	cut(&s.Error, mostText)
	cut(&s.Status, 100)
	s.MoreConflicts += trim(&s.Conflicts)
	for i := range s.Conflicts {
		c := &s.Conflicts[i]
		cut(&c.Root, mostPath)
		for _, changes := range []*[]Change{&c.A, &c.B} {
			trim(changes)
			for i := range *changes {
				cut(&(*changes)[i].Path, mostPath)
			}
		}
	}
	for _, side := range []*Side{&s.A, &s.B} {
		side.MoreScan += trim(&side.Scan)
		side.MoreBrought += trim(&side.Brought)
		for _, list := range [][]Problem{side.Scan, side.Brought} {
			for i := range list {
				cut(&list[i].Path, mostPath)
				cut(&list[i].Why, mostText)
			}
		}
	}
}

// trim keeps the beginning of a list, and returns how many it drops.
func trim[T any](list *[]T) int {
	more := max(0, len(*list)-mostListed)
	*list = (*list)[:len(*list)-more]
	return more
}

func cut(s *string, most int) {
	if len(*s) > most {
		*s = (*s)[:most]
	}
	for len(*s) > 0 && !utf8.ValidString(*s) {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
}

// decode reads what Mutagen says of all sessions.
func decode(line []byte) ([]State, error) {
	var all []State
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, fmt.Errorf("mutagen says what is not understood: %w", err)
	}
	all = all[:min(len(all), mostSession)]
	for i := range all {
		all[i].bound()
	}
	return all, nil
}

// template has Mutagen tell all sessions in one line.
const template = `--template={{json .}}{{"\n"}}`

// List tells all sessions.
func (h *Home) List(ctx context.Context) ([]State, error) {
	out, err := h.run(ctx, "sync", "list", template)
	if err != nil {
		return nil, err
	}
	return decode(out)
}

// ErrEnded says that Mutagen reports no more on its sessions, as when its daemon ends.
var ErrEnded = errors.New("mutagen has ended")

// Watch tells all sessions now and whenever one changes, until ctx or the daemon ends. The daemon is started when there is none.
func (h *Home) Watch(ctx context.Context, tell func([]State)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := h.command(ctx, "sync", "monitor", template)
	said := bounded.NewEnd(mostSaid)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := follow(out, tell)
	cancel()
	_ = cmd.Wait()
	switch {
	case failed != nil:
		return failed
	case said.String() != "":
		return &Error{"sync monitor", reason(said.String()), ErrEnded}
	}
	return ErrEnded
}

// follow reads lines until they end.
func follow(from io.Reader, tell func([]State)) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mostOutput)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		all, err := decode(lines.Bytes())
		if err != nil {
			return err
		}
		tell(all)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	return nil
}
