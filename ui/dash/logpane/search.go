package logpane

// NextHit selects the next line that matches the pattern, down when direction is positive, otherwise up. It searches
// first what was not searched yet.
func (p *Pane) NextHit(direction int) {
	if p.grep == nil || direction == 0 {
		return
	}
	if _, all := p.book.Searched(); all && p.book.Matches().Len() == 0 {
		return
	}
	p.stopFollowing()
	p.search = direction
	p.goToHit()
}

// goToHit selects the record that NextHit searches for, once it is known.
func (p *Pane) goToHit() {
	if p.search == 0 || p.follow {
		return
	}
	from := p.cursor
	if p.settling {
		from = p.wish
	}
	_, all := p.book.Searched()
	if !all && p.search > 0 && p.book.CompleteFrom() > from {
		return // there may be a nearer hit
	}
	hits := p.book.Matches()
	i := hits.Index(from)
	switch {
	case p.search < 0:
		i--
	case i < hits.Len() && hits.Seq(i) == from:
		i++
	}
	if i >= 0 && i < hits.Len() {
		p.choose(hits.Seq(i))
		p.reveal = true
	} else if all {
		p.search = 0
	}
}
