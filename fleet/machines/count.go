package machines

import (
	"maps"
	"slices"

	"ocaptain/fleet/provider"
)

// Count counts the machines of this install at one provider.
type Count struct {
	Provider string `json:"provider"`
	// Machines is how many machines the provider lists. It is unknown if Why is not empty.
	Machines int `json:"machines"`
	// Recorded is how many machines were requested and are not proven to be gone.
	Recorded int `json:"recorded"`
	// Unlisted is how many of the recorded machines the provider does not list.
	Unlisted int `json:"unlisted,omitempty"`
	// Why says why the provider could not be asked, or not about all machines.
	Why string `json:"why,omitempty"`
}

// Counts are all machines of this install, counted by provider.
type Counts struct {
	Providers []Count
	Orphans   []Orphan // the counted machines that belong to no voyage
	Others    []Orphan // further machines that look like ocaptain's and belong to another install or to an unknown one
}

// CountOf counts the machines and answers that Look returned. v says which machines belong to voyages.
func CountOf(all []Machine, answers []Answer, v *Voyages) Counts {
	var c Counts
	counts := counts{}
	for _, m := range all {
		if m.Others {
			c.Others = append(c.Others, orphan(m, v, ""))
			continue
		}
		counts.add(m)
		if !v.Have(m.ID, m.Voyage()) {
			c.Orphans = append(c.Orphans, orphan(m, v, ""))
		}
	}
	for _, a := range answers {
		if n := counts[a.Provider]; a.Err != nil && n != nil { // otherwise no machine of ours is known to exist there
			n.Why = line(a.Err.Error(), maxWhy)
		}
	}
	c.Providers = counts.list()
	return c
}

// Count counts the machines on record without asking a provider; why says why it does not ask.
func (r *Records) Count(why string) []Count {
	all, _ := r.All() // callers that ask the providers see this error
	counts := counts{}
	for _, one := range all {
		counts.add(Machine{ID: one.ID, Record: &one})
	}
	list := counts.list()
	for i := range list {
		list[i].Why = line(why, maxWhy)
	}
	return list
}

// maxWhy bounds the text of why a provider could not be asked, in characters.
const maxWhy = 300

// counts holds the Count of each provider.
type counts map[string]*Count

func (c counts) add(m Machine) {
	n := c[m.Provider]
	if n == nil {
		n = &Count{Provider: m.Provider}
		c[m.Provider] = n
	}
	recorded := m.Record != nil && !m.Record.Gone
	if recorded {
		n.Recorded++
	}
	switch {
	case m.Listed == nil && recorded && m.Absent != "":
		n.Unlisted++
	case m.Listed != nil:
		n.Machines++
		if m.Listed.State == provider.Unknown && m.Listed.Note != "" {
			n.Why = line(m.Listed.Note, maxWhy) // the provider knows no more about it than we do
		}
	}
}

func (c counts) list() []Count {
	var all []Count
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if n := c[name]; n.Machines > 0 || n.Recorded > 0 || n.Why != "" {
			all = append(all, *n)
		}
	}
	return all
}
