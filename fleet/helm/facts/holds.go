package facts

// Holds are what keeps ships back, by their login.
type Holds map[string]*Hold

// add takes over a hold as it was written down.
func (all *Holds) add(h Hold) {
	if h.Over {
		delete(*all, h.Login)
		return
	}
	all.Set(&h)
}

// Set keeps a hold, in the place of what kept back the ships of its login before.
func (all *Holds) Set(h *Hold) { set((*map[string]*Hold)(all), h.Login, h) }

func (all Holds) records() (list []Record) {
	for _, h := range all {
		list = append(list, Record{Kind: KindHold, Data: *h})
	}
	return list
}
