// Package scout serves code search to a ship's agent, and reports to helm what the agent searched and opened, and the state
// of the index.
package scout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/search"
	"ocaptain/fleet/search/chunkhound"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/tools"
)

// Seen is what a ship remembers of searches, in a file.
type Seen struct {
	Index proto.Index
	Files []string // files in the answers so far, the newest last
}

// maxSeen bounds how many files are remembered.
const maxSeen = 200

// Scout reports searches of a ship's agent. A nil Scout reports nothing.
type Scout struct {
	home shipdir.Dir
	book *shipdir.Journal

	hound atomic.Pointer[chunkhound.Hound] // nil until ChunkHound has started
	means bool                             // helm makes vectors of the ship's code

	mu   sync.Mutex
	seen Seen
}

// Find returns the Scout of the ship whose agent this process serves, nil outside a ship.
func Find() *Scout {
	home, err := os.UserHomeDir()
	if os.Getenv("OCAPTAIN_SHIP") == "" || err != nil {
		return nil
	}
	ship, err := shipdir.LoadShip(home)
	if err != nil {
		return nil
	}
	book, err := shipdir.OpenJournal(shipdir.Dir(home))
	if err != nil {
		return nil // the search works without a Scout
	}
	s := &Scout{home: shipdir.Dir(home), book: book, means: ship.Embeddings}
	_ = shipdir.ReadJSON(s.home.Search(), &s.seen) // fails before the first answer, as there is no file
	return s
}

// Close closes the journal.
func (s *Scout) Close() {
	if s != nil {
		s.book.Close()
	}
}

// Tell records an answered search and the files in its answer.
func (s *Scout) Tell(a tools.Asked) {
	if s == nil {
		return
	}
	s.book.Log("note", fmt.Sprintf("%s %s: %d found", a.Tool, agentlog.FirstLine(a.Query), a.Found), "")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range a.Files {
		s.seen.Files = append(slices.DeleteFunc(s.seen.Files, func(f string) bool { return f == name }), name)
	}
	s.seen.Files = s.seen.Files[max(0, len(s.seen.Files)-maxSeen):]
	_ = shipdir.WriteJSON(s.home.Search(), s.seen)
}

// watch reads the tree and gets its vectors before the first search, and records the result.
func (s *Scout) watch(ctx context.Context, t *search.Tree) {
	err := t.Refresh(ctx)
	s.note(ctx, t, err)
	if err == nil && s.Means() != nil {
		_ = t.Understand(ctx) // ignored, as Stats reports it
		s.note(ctx, t, nil)
	}
}

// note records the state of a tree's index.
func (s *Scout) note(ctx context.Context, t *search.Tree, err error) {
	if s == nil || ctx.Err() != nil {
		return
	}
	is := t.Stats()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Index = proto.Index{Files: is.Files, LeftOut: is.LeftOut, Hound: s.seen.Index.Hound}
	if s.means {
		s.seen.Index.Chunks, s.seen.Index.Vectors = is.Chunks, is.Vectors
	}
	if is.Unmeant != nil {
		s.seen.Index.Unmeant = s.book.Clean(agentlog.FirstLine(is.Unmeant.Error()), 200)
	}
	if err != nil {
		s.seen.Index.Broken = s.book.Clean(agentlog.FirstLine(err.Error()), 200)
	}
	_ = shipdir.WriteJSON(s.home.Search(), s.seen)
}

// Means returns what asks helm for vectors, nil on a ship whose code must not be sent anywhere.
func (s *Scout) Means() search.Means {
	if s == nil || !s.means {
		return nil
	}
	return func(ctx context.Context, texts []string, questions bool) ([]meaning.Vector, error) {
		var m proto.Meanings
		if err := shipdir.AskOnce(ctx, s.home, proto.MethodMeaning, proto.MeaningRequest{Texts: texts, Questions: questions}, &m); err != nil {
			return nil, err
		}
		if len(m.Vectors) != len(texts) {
			return nil, fmt.Errorf("helm answers with %d vectors of %d", len(m.Vectors), len(texts))
		}
		all := make([]meaning.Vector, len(texts))
		for i, raw := range m.Vectors {
			if err := all[i].UnmarshalBinary(raw); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
}

// Serve serves search tools for a tree on standard input and output, until the input ends. If ChunkHound is
// installed, it answers the queries that it can, once it has started.
func (s *Scout) Serve(ctx context.Context, t *search.Tree, version string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := tools.New(t, version, s.Tell)
	go s.watch(ctx, t)
	if s != nil {
		chunkhound.Lend(server, s.hound.Load, s.tellLent)
		ended := make(chan struct{})
		go func() { defer close(ended); s.keepHound(ctx, t.Dir()) }()
		defer func() { cancel(); <-ended }()
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}

// keepHound runs ChunkHound, if it is installed, until ctx ends.
func (s *Scout) keepHound(ctx context.Context, dir string) {
	h, err := chunkhound.Start(ctx, dir, s.home.Path("chunkhound"))
	switch {
	case errors.Is(err, chunkhound.ErrAbsent) || ctx.Err() != nil:
		return
	case err != nil:
		s.noteHound("does not start: " + err.Error())
		return
	}
	defer h.Close()
	s.hound.Store(h)
	for {
		s.noteHound(h.Version + " " + h.Health(ctx))
		if retry.Sleep(ctx, looking) != nil {
			return
		}
	}
}

// looking is the time between questions about ChunkHound's state.
const looking = 5 * time.Minute

// noteHound records the state of ChunkHound.
func (s *Scout) noteHound(is string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Index.Hound = s.book.Clean(agentlog.FirstLine(is), 200)
	_ = shipdir.WriteJSON(s.home.Search(), s.seen)
}

// tellLent records a search that ChunkHound answered. How many files it found is unknown, since the format of its answers differs by
// version.
func (s *Scout) tellLent(tool, query string) {
	s.book.Log("note", fmt.Sprintf("%s %s: answered by ChunkHound", tool, agentlog.FirstLine(query)), "")
}

// IndexOf returns the state of the index of the ship's tree, as far as the ship's agent has used the search.
func IndexOf(home shipdir.Dir) proto.Index {
	var seen Seen
	_ = shipdir.ReadJSON(home.Search(), &seen) // fails on most ships, as they have no such file
	return seen.Index
}

// Opened returns the path of a file in the workspace that the agent opens, if an answer has named it, else "".
func Opened(home shipdir.Dir, workspace, file string) string {
	name, err := filepath.Rel(workspace, file)
	if err != nil {
		return ""
	}
	var seen Seen
	if shipdir.ReadJSON(home.Search(), &seen) != nil || !slices.Contains(seen.Files, filepath.ToSlash(name)) {
		return ""
	}
	return name
}
