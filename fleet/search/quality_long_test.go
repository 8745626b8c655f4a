//go:build long

package search

import "testing"

// TestQuality searches for functions with their doc comments, after removing the comments and the names: the task of
// CodeSearchNet.
func TestQuality(t *testing.T) {
	files, questions := corpus(t, asked...)
	x, _ := indexOf(files)
	var mrr, ten float64
	for _, q := range questions {
		hits, _ := x.Find(q.text, 10, nil)
		for i, h := range hits {
			if h.File == q.file && h.Name == q.name {
				mrr += 1 / float64(i+1)
				ten++
				break
			}
		}
	}
	n := float64(len(questions))
	t.Logf("%d chunks, %d questions: MRR %.3f, recall@10 %.3f", x.live, len(questions), mrr/n, ten/n)
	if mrr/n < 0.45 || ten/n < 0.67 || n < 4000 {
		t.Error("want an MRR of 0.45 and a recall@10 of 0.67")
	}
}
