// Package scout serves the search in code to a ship's agent, and tells helm what was asked and opened, and how the index is.
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

// Seen is what a ship remembers of its search, in a file.
type Seen struct {
	Index proto.Index
	Files []string // in the answers so far, the newest last
}

// maxSeen bounds how many files of answers are remembered.
const maxSeen = 200

// Scout tells of what the agent of a ship asks. A nil one tells nothing.
type Scout struct {
	home shipdir.Dir
	book *shipdir.Journal

	hound atomic.Pointer[chunkhound.Hound] // nil until one has started
	means bool                             // helm makes vectors of its code

	mu   sync.Mutex
	seen Seen
}

// Find returns the scout of the ship whose agent this process serves, nil where there is none.
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
		return nil // a search goes on without it
	}
	s := &Scout{home: shipdir.Dir(home), book: book, means: ship.Embeddings}
	_ = shipdir.ReadJSON(s.home.Search(), &s.seen) // there is none before the first answer
	return s
}

// Close ends its writing.
func (s *Scout) Close() {
	if s != nil {
		s.book.Close()
	}
}

// Tell notes a question that was answered, and the files of the answer.
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

// watch has the tree read and its vectors made before anything is asked, and notes how that went.
func (s *Scout) watch(ctx context.Context, t *search.Tree) {
	err := t.Refresh(ctx)
	s.note(ctx, t, err)
	if err == nil && s.Means() != nil {
		_ = t.Understand(ctx) // Stats tell how it went
		s.note(ctx, t, nil)
	}
}

// note notes how the index of a tree is.
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

// Means asks helm for vectors, nil on a ship whose code is sent nowhere.
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

// Serve serves the tools of a tree on standard input and output, until the input ends.
// On a ship where a ChunkHound is installed, that answers what it can, once it has started.
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

// keepHound runs the ChunkHound that is installed, until ctx ends.
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

// looking is how often a ChunkHound is asked how it is.
const looking = 5 * time.Minute

// noteHound notes how ChunkHound is.
func (s *Scout) noteHound(is string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Index.Hound = s.book.Clean(agentlog.FirstLine(is), 200)
	_ = shipdir.WriteJSON(s.home.Search(), s.seen)
}

// tellLent notes a question that ChunkHound answered. How much was found is not known: each version writes its answers in its own way.
func (s *Scout) tellLent(tool, query string) {
	s.book.Log("note", fmt.Sprintf("%s %s: answered by ChunkHound", tool, agentlog.FirstLine(query)), "")
}

// IndexOf returns how much of the ship's tree can be searched, as far as its agent has begun to.
func IndexOf(home shipdir.Dir) proto.Index {
	var seen Seen
	_ = shipdir.ReadJSON(home.Search(), &seen) // most ships have none
	return seen.Index
}

// Opened returns the name of a file in the workspace that the agent opens, if an answer has named it; else "".
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
