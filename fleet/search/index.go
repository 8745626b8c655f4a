package search

import (
	"path"
	"strings"
	"sync"

	"ocaptain/fleet/search/meaning"
)

// How much a word counts, by its place. The comment of a chunk also counts as a part of its body. These weights and those of
// Find were tuned with other modules than those of the quality test.
const (
	weighName      = 6
	weighSignature = 3
	weighPath      = 2
	weighComment   = 0.5
	weighBody      = 1
	weighWhole     = 0.5 // the whole of an identifier that has several parts
)

// An Index finds chunks of files by their words. Its methods are safe for concurrent use.
type Index struct {
	mu       sync.RWMutex
	words    dictionary
	postings [][]posting // by term, the newest chunks last
	chunks   []entry
	files    map[string][2]uint32 // the range of a file's chunks in entries: from, to
	length   float64              // sum of the lengths of all current chunks
	live     int
	meant    *meanings // nil when chunks are found only by their words
}

// posting says how often a chunk contains a term, weighted.
type posting struct {
	chunk uint32
	count float32
}

// entry is a chunk in an index.
type entry struct {
	Chunk
	file   string // "" when the file has changed since
	length float32
	names  []uint32 // the terms in its name
	sum    sum      // the hash of the text for its vector
	vector *meaning.Vector
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{words: newDictionary(), files: map[string][2]uint32{}}
}

// Put adds a file, or replaces it.
func (x *Index) Put(name, text string) {
	chunks := Cut(name, text) // outside the lock, as this is most of the work
	x.mu.Lock()
	defer x.mu.Unlock()
	x.removeLocked(name)
	from := uint32(len(x.chunks))
	for _, c := range chunks {
		x.addLocked(name, text, c)
	}
	x.files[strings.Clone(name)] = [2]uint32{from, uint32(len(x.chunks))}
}

// Remove removes a file.
func (x *Index) Remove(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.removeLocked(name)
}

func (x *Index) removeLocked(name string) {
	at, ok := x.files[name]
	if !ok {
		return
	}
	delete(x.files, name)
	for i := at[0]; i < at[1]; i++ {
		x.length -= float64(x.chunks[i].length)
		x.live--
		x.chunks[i] = entry{}
	}
	if dead := len(x.chunks) - x.live; dead > 1000 && dead > x.live {
		x.compactLocked()
	}
}

// compactLocked removes the chunks of files that have changed. The caller holds the lock.
func (x *Index) compactLocked() {
	moved := make([]uint32, len(x.chunks))
	kept := x.chunks[:0]
	for i, c := range x.chunks {
		if moved[i] = none; c.file != "" {
			moved[i] = uint32(len(kept))
			kept = append(kept, c)
		}
	}
	clear(x.chunks[len(kept):])
	x.chunks = kept
	if x.meant != nil {
		clear(x.meant.vectors)
		for _, e := range kept {
			if e.vector != nil {
				x.meant.vectors[e.sum] = e.vector
			}
		}
	}
	for i, list := range x.postings {
		now := list[:0]
		for _, p := range list {
			if to := moved[p.chunk]; to != none {
				now = append(now, posting{to, p.count})
			}
		}
		x.postings[i] = now
	}
	for name, at := range x.files {
		if at[0] < at[1] {
			n := at[1] - at[0]
			at[0] = moved[at[0]]
			at[1] = at[0] + n
		}
		x.files[name] = at
	}
}

func (x *Index) addLocked(name, text string, c Chunk) {
	counts := map[uint32]float32{}
	weigh := func(s string, w float32) {
		x.words.each(s, true, func(term uint32, whole bool) {
			if whole {
				counts[term] += w * weighWhole
			} else {
				counts[term] += w
			}
		})
	}
	e := entry{Chunk: c, file: name}
	if x.meant != nil {
		e.sum = sumOf(e.meant(text))
		e.vector = x.meant.vectors[e.sum]
	}
	x.words.each(c.Name, true, func(term uint32, _ bool) { e.names = append(e.names, term) })
	weigh(c.Name, weighName)
	weigh(c.signature, weighSignature)
	weigh(c.comment, weighComment)
	weigh(strings.TrimSuffix(name, path.Ext(name)), weighPath)
	weigh(text[c.From:c.To], weighBody)
	e.Name, e.signature, e.comment = strings.Clone(e.Name), "", ""
	n := uint32(len(x.chunks))
	for term, count := range counts {
		e.length += count
		for int(term) >= len(x.postings) {
			x.postings = append(x.postings, nil)
		}
		x.postings[term] = append(x.postings[term], posting{n, count})
	}
	x.chunks = append(x.chunks, e)
	x.length += float64(e.length)
	x.live++
}
