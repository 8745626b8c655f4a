package logpane

import (
	"slices"

	"ocaptain/ui/logs"
)

// Result is the result of a piece of work, for ApplyResult.
type Result struct {
	words map[int64]*logs.Line
	job   *logs.Job
}

// PendingReads returns functions that read from files. The model runs each in a goroutine of its own and passes the
// result to ApplyResult. It calls PendingReads after AddBatch, Advance, ApplyResult and every action that moves or
// filters; at most three functions are running.
func (p *Pane) PendingReads() []func() Result {
	var work []func() Result
	if !p.reading {
		p.layout()
		if refs := p.wanted(); len(refs) > 0 {
			p.reading = true
			files := p.book.Files()
			work = append(work, func() Result { return Result{words: logs.ReadWords(files, refs)} })
		}
	}
	for j := p.book.NextJob(p.words.lineOf); j != nil; j = p.book.NextJob(p.words.lineOf) {
		work = append(work, func() Result {
			j.Run()
			return Result{job: j}
		})
	}
	return work
}

// wanted returns the visible records whose text is not known.
func (p *Pane) wanted() []logs.Ref {
	var refs []logs.Ref
	for _, r := range p.rows {
		if r.of == nothing || p.words.lineOf(r.seq) != nil {
			continue
		}
		if ref, ok := p.book.RecordRef(r.seq); ok {
			refs = append(refs, ref)
		}
	}
	return slices.Compact(refs)
}

// ApplyResult applies the result of a piece of work.
func (p *Pane) ApplyResult(r Result) {
	if r.words != nil {
		p.reading = false
		for seq, l := range r.words {
			p.words.add(seq, l)
		}
	}
	if r.job != nil {
		p.book.Finish(r.job)
		p.goToHit()
	}
}
