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

// State is the state of a session, as Mutagen reports it.
type State struct {
	ID     string            `json:"identifier"`
	Mode   string            `json:"mode"`
	Labels map[string]string `json:"labels"`
	A      Side              `json:"alpha"`
	B      Side              `json:"beta"`
	Paused bool              `json:"paused"`
	Status string            `json:"status"`
	Error  string            `json:"lastError"`        // last error, "" once the session works again
	Cycles int               `json:"successfulCycles"` // completed cycles since both sides were connected

	Conflicts     []Conflict `json:"conflicts"`
	MoreConflicts int        `json:"excludedConflicts"`
}

// Side is one side of a session.
type Side struct {
	Endpoint
	Connected bool `json:"connected"`
	Scanned   bool `json:"scanned"`
	Files     int  `json:"files"`

	Scan        []Problem `json:"scanProblems"` // paths that could not be read, and do not travel
	MoreScan    int       `json:"excludedScanProblems"`
	Brought     []Problem `json:"transitionProblems"` // paths that could not be written
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
	Old  *Entry `json:"old"` // nil if there was none
	New  *Entry `json:"new"`
}

// Entry is what is at a path.
type Entry struct {
	Kind   string `json:"kind"`
	Digest string `json:"digest"`
}

// Halted returns why a session has stopped itself to protect the other side's files, "" while it runs.
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

// CountConflicts returns the number of paths that both sides have changed.
func (s State) CountConflicts() int { return len(s.Conflicts) + s.MoreConflicts }

// Problems returns the paths of both sides that do not travel, and how many more there are.
func (s State) Problems() (all []Problem, more int) {
	for _, side := range []Side{s.A, s.B} {
		all = append(append(all, side.Scan...), side.Brought...)
		more += side.MoreScan + side.MoreBrought
	}
	return all, more
}

// Bounds of a State, in bytes and entries.
const (
	mostText    = 1000
	mostPath    = 4096
	mostListed  = 50
	mostSession = 1000
)

// bound cuts texts and lists of s to their bounds.
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

// trim cuts a list to mostListed entries, and returns how many it drops.
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

// decode parses a line that Mutagen prints with template.
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

// template makes Mutagen print all sessions as JSON in one line.
const template = `--template={{json .}}{{"\n"}}`

// List returns all sessions.
func (h *Home) List(ctx context.Context) ([]State, error) {
	out, err := h.run(ctx, "sync", "list", template)
	if err != nil {
		return nil, err
	}
	return decode(out)
}

// ErrEnded means that Mutagen has stopped reporting, for example because its daemon ended.
var ErrEnded = errors.New("mutagen has ended")

// Watch calls tell with all sessions now and whenever one changes, until ctx or the daemon ends. It starts the daemon
// if none runs.
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

// follow calls tell for each line that Mutagen prints.
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
