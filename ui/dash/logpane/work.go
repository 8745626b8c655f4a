package logpane

import (
	"slices"

	"ocaptain/ui/logs"
)

// Result is what a piece of work found; Done takes it.
type Result struct {
	words map[int64]*logs.Line
	job   *logs.Job
}

// PendingReads returns what is to be read from files now. The root runs each piece in a goroutine
// of its own and hands what it returns to Done. It asks for work after Apply, Advance,
// Done and every verb that moves or filters; there are never more than three pieces under way.
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

// wanted are the visible records whose words are not known.
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

// ApplyResult takes what a piece of work found.
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
