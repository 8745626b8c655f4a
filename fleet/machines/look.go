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

// Machine is a machine as it is on record and as its provider lists it.
type Machine struct {
	ID
	Record *Record           // nil when it is not on record
	Listed *provider.Machine // nil when its provider does not list it or was not asked
	Others bool              // it does not have the label of this install
	// Absent says what follows from the machine not being listed. It is "" if the machine is listed, or the provider
	// was not asked.
	Absent string
}

// Voyage returns the id of the voyage whose ship it is, "" if unknown.
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

// maxName bounds the name of a voyage from a provider, in characters.
const maxName = 100

// Answer is the answer of one provider.
type Answer struct {
	Provider string
	Err      error // why its list is missing or incomplete; it may have machines all the same
}

// Look joins the machines on record with the machines that the named providers list. For other providers it returns only the
// machines on record. Each provider has the time patience to answer.
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
			continue // it is gone, and only looked for once more
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

// list is the list of one provider.
type list struct {
	provider string
	machines []provider.Machine
	err      error
	account  string
	sure     bool // all machines in it are of that account
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

// saw records that a provider lists a requested machine, and in which account.
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
