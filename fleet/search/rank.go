package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Parameters of BM25: how soon more occurrences of a word add nothing, and how much the words of a long chunk are
// discounted.
const (
	saturation = 3
	lengthPart = 0.8
)

// How much more a chunk counts if the query contains its whole name, and how much less a type or value counts, since
// these have many words and do nothing.
const (
	namedMore = 0.3
	idleLess  = 0.4
)

// A Hit is a chunk that was found.
type Hit struct {
	File string
	Chunk
	Score float64
}

// Find returns at most limit chunks that fit a query in words, the best first, and how many chunks have at least one of the
// words. The score is BM25 with weighted fields (Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields,
// 2004), higher for a chunk that the query names and lower for a type or value, divided by the highest possible score.
func (x *Index) Find(query string, limit int, keep func(file string) bool) (hits []Hit, found int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.live == 0 {
		return nil, 0
	}
	asked := map[uint32]float64{}
	x.words.each(query, false, func(term uint32, _ bool) { asked[term]++ })
	scores, most := x.scores(asked)
	var best []uint32
	for i, s := range scores {
		if e := &x.chunks[i]; s > 0 && e.file != "" && (keep == nil || keep(e.file)) {
			found++
			scores[i] *= e.fit(asked)
			best = append(best, uint32(i))
		}
	}
	slices.SortFunc(best, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	for _, i := range best[:min(limit, len(best))] {
		e := x.chunks[i]
		hits = append(hits, Hit{File: e.file, Chunk: e.Chunk, Score: float64(scores[i] / most)})
	}
	return hits, found
}

// scores returns the BM25 score of each chunk, and the highest possible score.
func (x *Index) scores(asked map[uint32]float64) (scores []float32, most float32) {
	scores = make([]float32, len(x.chunks))
	average := x.length / float64(x.live)
	for _, term := range slices.Sorted(maps.Keys(asked)) { // in a fixed order, since sums of floats depend on it
		list := x.postings[term]
		have := 0.0 // number of current chunks
		for _, p := range list {
			if x.chunks[p.chunk].file != "" {
				have++
			}
		}
		idf := math.Log(1 + (float64(x.live)-have+0.5)/(have+0.5))
		weight := idf * math.Min(1+math.Log(asked[term]), 2) * (saturation + 1)
		most += float32(weight) * (1 + namedMore)
		for _, p := range list {
			c := float64(p.count)
			length := 1 - lengthPart + lengthPart*float64(x.chunks[p.chunk].length)/average
			scores[p.chunk] += float32(weight * c / (c + saturation*length))
		}
	}
	return scores, most
}

// fit returns the factor by which a chunk counts more or less because of its name and kind.
func (e *entry) fit(asked map[uint32]float64) float32 {
	f := float32(1)
	if len(e.names) > 0 {
		said := 0
		for _, term := range e.names {
			if asked[term] > 0 {
				said++
			}
		}
		f += namedMore * float32(said) / float32(len(e.names))
	}
	if e.Kind == Value || e.Kind == Type {
		f *= 1 - idleLess
	}
	return f
}
