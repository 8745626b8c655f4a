package facts

// Holds are the Holds of a voyage, by login.
type Holds map[string]*Hold

// add records a Hold from the journal.
func (all *Holds) add(h Hold) {
	if h.Over {
		delete(*all, h.Login)
		return
	}
	all.Set(&h)
}

// Set replaces the Hold of a login.
func (all *Holds) Set(h *Hold) { set((*map[string]*Hold)(all), h.Login, h) }

func (all Holds) records() (list []Record) {
	for _, h := range all {
		list = append(list, Record{Kind: KindHold, Data: *h})
	}
	return list
}
