package facts

import (
	"testing"
	"time"
)

func TestGaps(t *testing.T) {
	t.Parallel()
	var g Gaps
	now := time.Now()
	for n := range 20 {
		g.Note(false, now)
		g.Note(false, now.Add(time.Second))
		now = now.Add(time.Duration(20-n) * time.Second)
		g.Note(true, now)
		g.Note(true, now)
	}
	if most := g.Longest(); most != maxGaps*time.Second || len(g.last) != maxGaps {
		t.Errorf("the longest of %v is %s", g.last, most)
	}
}
