package machines

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/provider"
)

// Machine is a machine as the two lists have it: that of what was asked for, and that of its provider.
type Machine struct {
	ID
	Record *Record           // nil when nothing here tells of it
	Listed *provider.Machine // nil when its provider was not asked or does not list it
	Others bool              // it does not carry the id of this install
	// Absent says what it means that the machine is not listed, "" when it is, or the provider was
	// not asked.
	Absent string
}

// Voyage is the id of the voyage that it is a ship of, "" when nothing tells.
func (m Machine) Voyage() string {
	if m.Record != nil && m.Record.Voyage != "" {
		return m.Record.Voyage
	}
	if m.Listed != nil && m.Listed.Labels["voyage"] != "" {
		return line(m.Listed.Labels["voyage"], maxName)
	}
	voyage, _, _ := strings.Cut(m.Name, "-ship")
	return voyage
}

// maxName is the longest name of a voyage that is believed.
const maxName = 100

// Answer is what a provider said.
type Answer struct {
	Provider string
	Err      error // what could not be asked; there may be machines all the same
}

// Look joins the machines on record with the machines that the named providers list. For providers that are not asked, it
// returns only the machines on record. Each provider has as long as patience to answer.
func (k *Keeper) Look(ctx context.Context, which []string, prefix string, patience time.Duration) (all []Machine, answers []Answer, err error) {
	records, err := k.All()
	if err != nil {
		return nil, nil, err
	}
	lists := make([]list, len(which))
	var asked sync.WaitGroup
	for i, name := range which {
		asked.Go(func() { lists[i] = k.list(ctx, name, prefix, patience) })
	}
	asked.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	known := map[ID]*Record{}
	for i := range records {
		known[records[i].ID] = &records[i]
	}
	absent := map[string]func(Record) string{}
	for _, l := range lists {
		answers = append(answers, Answer{l.provider, l.err})
		absent[l.provider] = func(r Record) string { return k.absent(l, r) }
		for _, m := range l.machines {
			one := Machine{ID: ID{l.provider, m.Name}, Listed: &m}
			r := known[one.ID]
			one.Others = m.Labels[provider.Install] != k.options.Install && (r == nil || r.Own == "" || r.Own != m.ID)
			if !one.Others {
				one.Record = r
				delete(known, one.ID)
				if err := k.saw(one.Record, m, l); err != nil {
					return nil, nil, err
				}
			}
			all = append(all, one)
		}
	}
	for id, r := range known {
		if _, there := k.Get(id); !there {
			continue // it was forgotten meanwhile
		}
		one := Machine{ID: id, Record: r}
		if says := absent[id.Provider]; r.Gone && r.Tailnet == nil {
			continue // and it is looked for once more
		} else if r.Gone {
			one.Absent = "it is gone, and its device on the tailnet may still be there"
		} else if says != nil {
			one.Absent = says(*r)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Machine) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(answers, func(a, b Answer) int { return strings.Compare(a.Provider, b.Provider) })
	return all, answers, nil
}

// list is what one provider lists.
type list struct {
	provider string
	machines []provider.Machine
	err      error
	account  string
	sure     bool // all of it is of that account
}

func (k *Keeper) list(ctx context.Context, name, prefix string, patience time.Duration) list {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l := list{provider: name}
	p := k.provider(name)
	if p == nil {
		l.err = errors.New("this ocaptain does not know it")
		return l
	}
	a, accounted := p.(provider.Accounted)
	var before string
	var unnamed error
	if accounted {
		before, unnamed = a.Whose(ctx)
	}
	if s, ok := p.(provider.AllLister); ok {
		l.machines, l.err = s.ListAll(ctx, prefix)
	} else {
		l.machines, l.err = p.List(ctx, nil)
	}
	if accounted && unnamed == nil {
		now, err := a.Whose(ctx)
		l.account, l.sure = now, err == nil && now == before && l.err == nil
	}
	return l
}

// saw notes that a provider lists a machine that was asked for, and in which account.
func (k *Keeper) saw(r *Record, m provider.Machine, l list) error {
	if r == nil || r.Missed.IsZero() && !r.Gone && r.Own != "" && (r.Account == l.account || !l.sure) {
		return nil
	}
	if r.Gone {
		defer k.pokeNow(r.ID)
	}
	return k.change(r.ID, func(now *Record) {
		now.Seen, now.Missed, now.Gone, now.Again = time.Now().UTC(), time.Time{}, false, time.Time{}
		if now.Own = cmp.Or(now.Own, m.ID); l.sure {
			now.Account = l.account
		}
		*r = *now
	})
}

func (k *Keeper) absent(l list, r Record) string {
	if l.sure {
		if err := k.Elsewhere(r, l.account); err != nil {
			return err.Error()
		}
	}
	return "it was asked for, and may be gone"
}
