package machines

import (
	"maps"
	"slices"

	"ocaptain/fleet/provider"
)

// Count is how many machines of this install there are at one provider.
type Count struct {
	Provider string `json:"provider"`
	// Machines is how many the provider lists. When Why is not empty that is not known.
	Machines int `json:"machines"`
	// Recorded is how many were asked for and are not proven to be gone.
	Recorded int `json:"recorded"`
	// Unlisted is how many of those the provider does not list.
	Unlisted int `json:"unlisted,omitempty"`
	// Why says why the provider could not be asked, or not for all of them.
	Why string `json:"why,omitempty"`
}

// Counts are all machines of this install, counted by provider.
type Counts struct {
	Providers []Count
	Orphans   []Orphan // among them, machines that no voyage has
	Others    []Orphan // not among them, machines that look like ocaptain's and are another install's or of no known install
}

// CountOf counts what Look told of, and tells which of it no voyage has.
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
		if n := counts[a.Provider]; a.Err != nil && n != nil { // else none of ours is known to be there
			n.Why = line(a.Err.Error(), maxWhy)
		}
	}
	c.Providers = counts.list()
	return c
}

// Count counts the machines on record without asking a provider; why says why not.
func (r *Records) Count(why string) []Count {
	all, _ := r.All() // who asks the providers is told
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

// maxWhy bounds why a provider could not be asked.
const maxWhy = 300

// counts are by provider.
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
			n.Why = line(m.Listed.Note, maxWhy) // its provider knows no more than we do
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
