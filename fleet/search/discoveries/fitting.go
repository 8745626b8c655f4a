package discoveries

import (
	"context"
	"math"
	"slices"
	"strings"

	"ocaptain/fleet/search"
)

// atOnce is how many discoveries are judged together, since most of the best fitting discoveries are still valid.
const atOnce = 10

// Fitting returns the discoveries in a commit that fit a text best and are not stale, at most that many. dir is in the
// repository.
func Fitting(ctx context.Context, dir, commit, text string, most int) ([]Discovery, error) {
	r, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	all, _, err := Read(ctx, r, commit)
	if err != nil {
		return nil, err
	}
	var kept []Discovery
	for some := range slices.Chunk(rank(all, text), atOnce) {
		if err := Judge(ctx, r, commit, some); err != nil {
			return nil, err
		}
		for _, d := range some {
			if !d.Stale && len(kept) < most {
				kept = append(kept, d)
			}
		}
		if len(kept) == most {
			break
		}
	}
	return kept, nil
}

// rank returns the discoveries that have words in common with a text, the best first.
func rank(all []Discovery, text string) []Discovery {
	index := search.NewIndex()
	byFile := map[string]Discovery{}
	for _, d := range all {
		index.Put(d.File, d.Text+"\n"+strings.Join(d.Files, "\n"))
		byFile[d.File] = d
	}
	hits, _ := index.Find(text, math.MaxInt, nil)
	var ranked []Discovery
	for _, h := range hits {
		if d, ok := byFile[h.File]; ok { // this hit is the best section of its file: hits are sorted
			ranked = append(ranked, d)
			delete(byFile, h.File)
		}
	}
	return ranked
}
