package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/search/meaning"
)

// Means makes vectors of at most meaning.MaxTexts texts. questions says that the texts are queries, and not code to be
// searched.
type Means func(ctx context.Context, texts []string, questions bool) ([]meaning.Vector, error)

// maxVectors bounds how many chunks get a vector.
const maxVectors = 100_000

// sum is the hash of a text.
type sum [16]byte

func sumOf(text string) sum {
	all := sha256.Sum256([]byte(text))
	return sum(all[:16])
}

// meanings are the vectors of chunks, including chunks of older versions of files.
type meanings struct {
	vectors map[sum]*meaning.Vector
}

// UseMeaning makes the tree also find chunks by meaning, once Understand has made their vectors. Call it before the first
// query; nil changes nothing.
func (t *Tree) UseMeaning(m Means) {
	if m == nil {
		return
	}
	t.means = m
	t.index.meant = &meanings{vectors: map[sum]*meaning.Vector{}}
}

// meant returns the text from which a chunk's vector is made.
func (e *entry) meant(text string) string {
	return cut(e.file + "\n" + e.Name + "\n" + text[min(e.From, len(text)):min(e.To, len(text))])
}

// cut cuts a text to the limit of a request, between characters, since JSON writes three bytes for each byte of a
// character that was cut in two.
func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), meaning.MaxText)], "")
}

// lacking returns up to n chunks that lack a vector.
func (x *Index) lacking(n int) (all []entry) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.meant.vectors) >= maxVectors {
		return nil
	}
	for _, e := range x.chunks {
		if e.file != "" && e.vector == nil {
			if all = append(all, e); len(all) == n {
				break
			}
		}
	}
	return all
}

// learn sets the vectors of all chunks with these texts.
func (x *Index) learn(of map[sum]*meaning.Vector) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s, v := range of {
		x.meant.vectors[s] = v
	}
	for i := range x.chunks {
		if e := &x.chunks[i]; e.file != "" && e.vector == nil {
			e.vector = of[e.sum]
		}
	}
}

func (x *Index) meantChunks() (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.chunks {
		if x.chunks[i].file != "" && x.chunks[i].vector != nil {
			n++
		}
	}
	return n
}

// Understand makes missing vectors, until all are made, one cannot be made, or ctx ends.
func (t *Tree) Understand(ctx context.Context) error {
	if t.means == nil {
		return nil
	}
	t.mulled.Lock()
	defer t.mulled.Unlock()
	return t.understand(ctx)
}

// understandLater starts to make missing vectors for later queries, unless that is in progress.
func (t *Tree) understandLater() {
	if !t.mulled.TryLock() {
		return
	}
	go func() {
		defer t.mulled.Unlock()
		_ = t.understand(context.Background()) // Stats returns the reason why vectors are missing
	}()
}

// vectorsOf asks for vectors, and keeps the error for Stats until a later call succeeds.
func (t *Tree) vectorsOf(ctx context.Context, texts []string, questions bool) ([]meaning.Vector, error) {
	all, err := t.means(ctx, texts, questions)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Unmeant = err
	return all, err
}

// understand makes missing vectors. The caller holds t.mulled.
func (t *Tree) understand(ctx context.Context) error {
	gone := map[sum]bool{} // texts of files that have changed since they were indexed
	for {
		var texts []string
		var sums []sum
		some := t.index.lacking(meaning.MaxTexts + len(gone))
		for _, e := range some {
			if gone[e.sum] || len(texts) == meaning.MaxTexts {
				continue
			}
			text, err := t.readText(e.file)
			if s := e.meant(text); err == nil && sumOf(s) == e.sum {
				texts, sums = append(texts, s), append(sums, e.sum)
			} else {
				gone[e.sum] = true
			}
		}
		if len(texts) == 0 {
			return ctx.Err()
		}
		all, err := t.vectorsOf(ctx, texts, false)
		if err != nil {
			return err
		}
		of := map[sum]*meaning.Vector{}
		for i := range all {
			of[sums[i]] = &all[i]
		}
		t.index.learn(of)
	}
}

// asking bounds the time for the vector of a query.
const asking = 10 * time.Second

// find finds the chunks that fit a query: by words and, if chunks have vectors, by meaning.
func (t *Tree) find(ctx context.Context, q Query, keep func(string) bool) (hits []Hit, found int) {
	limit := q.Offset + q.Limit
	if t.means == nil {
		return t.index.Find(q.Text, limit, keep)
	}
	t.understandLater()
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	asked, err := t.vectorsOf(ctx, []string{cut(q.Text)}, true)
	if err != nil || len(asked) != 1 {
		return t.index.Find(q.Text, limit, keep)
	}
	deep := max(limit, fuseDepth)
	byWords, found := t.index.Find(q.Text, deep, keep)
	hits = fuse(byWords, t.index.nearest(&asked[0], deep, keep))
	return hits[:min(limit, len(hits))], max(found, len(hits))
}

// nearest returns the chunks whose vectors are nearest to v.
func (x *Index) nearest(v *meaning.Vector, limit int, keep func(string) bool) (hits []Hit) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.chunks {
		if e := &x.chunks[i]; e.file != "" && e.vector != nil && (keep == nil || keep(e.file)) {
			hits = append(hits, Hit{File: e.file, Chunk: e.Chunk, Score: float64(v.Similarity(e.vector))})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(limit, len(hits))]
}

// Parameters of reciprocal rank fusion (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and
// individual Rank Learning Methods, 2009): how much the first ranks are dampened, and how many entries of each list
// count.
const (
	fuseRank  = 60
	fuseDepth = 200
)

// fuse merges lists of hits, the best first. A score of 1 means first in all lists.
func fuse(lists ...[]Hit) []Hit {
	type place struct {
		file     string
		from, to int
	}
	at := map[place]int{}
	var all []Hit
	for _, list := range lists {
		for rank, h := range list {
			p := place{h.File, h.From, h.To}
			i, ok := at[p]
			if !ok {
				i = len(all)
				at[p] = i
				all = append(all, Hit{File: h.File, Chunk: h.Chunk})
			}
			all[i].Score += float64(fuseRank+1) / float64(fuseRank+1+rank) / float64(len(lists))
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
