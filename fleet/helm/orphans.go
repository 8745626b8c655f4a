package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/ledger"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
)

// surveying bounds the question to one provider.
const surveying = time.Minute

// found is an orphan with what its provider tells of it.
type found struct {
	Orphan
	machine provider.Machine
	others  bool // it is not this install's
}

// finders find machines at providers. What else ocaptain makes at a service and outlives a ship is in strays.go.
func (h *Helm) finders(which []string) map[string]func(context.Context) ([]provider.Machine, error) {
	all := map[string]func(context.Context) ([]provider.Machine, error){}
	for _, name := range which {
		p := h.providers[name]
		if s, ok := p.(provider.Surveyor); ok {
			all[name] = func(ctx context.Context) ([]provider.Machine, error) { return s.Survey(ctx, fleet.MachinePrefix) }
		} else if p != nil {
			all[name] = func(ctx context.Context) ([]provider.Machine, error) { return p.List(ctx, nil) }
		}
	}
	return all
}

// configured are the providers that machines may be at: exe.dev is asked by ssh, which is not done
// where nobody has ever made a machine there.
func (h *Helm) configured() []string {
	var all []string
	for name := range h.providers {
		if name == "exedev" && !h.usesExe() {
			continue
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (h *Helm) usesExe() bool {
	records, err := filepath.Glob(filepath.Join(h.hub.State, "exedev", "*.json"))
	entries, unread := h.book.All()
	return err != nil || unread != nil || len(records) > 0 || slices.ContainsFunc(entries, func(e ledger.Entry) bool { return e.Provider == "exedev" })
}

// find asks providers for machines, all at the same time, and tells those that no voyage has. What
// the ledger has of them is told in any case. One that nobody named and where nobody ever made a machine needs no login.
func (h *Helm) find(ctx context.Context, which, named []string) (all []found, unasked []Unasked, err error) {
	before, err := h.owned()
	if err != nil {
		return nil, nil, err
	}
	entries, err := h.book.All()
	if err != nil {
		return nil, nil, err
	}
	known := map[place]*ledger.Entry{}
	for i := range entries {
		known[place{entries[i].Provider, entries[i].Name}] = &entries[i]
	}
	seen := map[string][]provider.Machine{}
	type login struct {
		account string
		has     bool
	}
	logins := map[string]login{}
	var mu gosync.Mutex
	var asked gosync.WaitGroup
	for name, find := range h.finders(which) {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, surveying)
			defer cancel()
			before, has := h.whose(ctx, name)
			machines, err := find(ctx)
			now, _ := h.whose(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			seen[name], logins[name] = machines, login{now, has && err == nil && now == before}
			used := slices.Contains(named, name) || slices.ContainsFunc(entries, func(e ledger.Entry) bool { return e.Provider == name })
			if errors.Is(err, sprites.ErrNoToken) && !used {
				return
			}
			if err != nil {
				unasked = append(unasked, Unasked{name, clean(err.Error(), maxText)})
			}
		})
	}
	var strays []found
	if slices.Contains(which, onTailnet) {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, surveying)
			defer cancel()
			own, err := h.findStrays(ctx)
			mu.Lock()
			defer mu.Unlock()
			if strays = own; err != nil {
				unasked = append(unasked, Unasked{onTailnet, clean(err.Error(), maxText)})
			}
		})
	}
	asked.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	after, err := h.owned() // a ship may have come or gone while providers were asked
	if err != nil {
		return nil, nil, err
	}
	for name, machines := range seen {
		for _, m := range machines {
			e := known[place{name, m.Name}]
			f := h.judge(name, m, e)
			if !f.others {
				if l := logins[name]; e != nil && e.Account == "" && l.has {
					if err := h.book.Learn(name, m.Name, l.account); err != nil {
						h.log.Error("ledger", "error", err)
					}
				}
				delete(known, place{name, m.Name})
				if before.has(name, m.Name, f.Voyage) || after.has(name, m.Name, f.Voyage) {
					continue
				}
				f.Why = after.why(f.Voyage)
			}
			all = append(all, f)
		}
	}
	for at, e := range known {
		if !slices.Contains(which, at.provider) || before.has(at.provider, at.name, e.Voyage) || after.has(at.provider, at.name, e.Voyage) || !h.book.Has(at.provider, at.name) {
			continue
		}
		l := logins[at.provider]
		all = append(all, h.fromBook(*e, after, h.absent(*e, l.account, l.has)))
	}
	all = append(all, alone(strays, all)...)
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	slices.SortFunc(unasked, func(a, b Unasked) int { return strings.Compare(a.Provider, b.Provider) })
	return all, unasked, nil
}

// fromBook is an orphan that the ledger alone tells of, with what it means that nothing else does.
func (h *Helm) fromBook(e ledger.Entry, own owned, absent string) found {
	return found{Orphan: Orphan{
		Provider: e.Provider, Name: e.Name, Voyage: e.Voyage, Install: h.install, Created: e.Asked,
		State: provider.Unknown, Why: own.why(e.Voyage) + "; " + absent, Doomed: e.Doomed, Trouble: e.Why,
	}}
}

// judge tells whose a machine is. What its provider says of it is not believed further than it can be shown.
func (h *Helm) judge(at string, m provider.Machine, e *ledger.Entry) found {
	f := found{machine: m, Orphan: Orphan{
		Provider: at, Name: word(m.Name), ID: word(m.ID), Install: word(m.Labels[provider.Install]),
		Voyage: word(m.Labels["voyage"]), Created: m.Created, State: m.State, Seen: true,
	}}
	if id, ok := fleet.VoyageOf(m.Name); ok && f.Voyage == "" {
		f.Voyage = id
	}
	if f.Install == h.install {
		if e != nil {
			f.Doomed, f.Trouble = e.Doomed, e.Why
			if f.Created.IsZero() {
				f.Created = e.Asked
			}
		}
		return f
	}
	f.others = true
	f.Why = "nothing tells which install made it"
	if f.Install != "" {
		f.Why = fmt.Sprintf("the install %s made it, not this one", f.Install)
	}
	return f
}

// sweepable turns what was found into what is told.
func sweepable(all []found, unasked []Unasked) Sweep {
	s := Sweep{At: time.Now(), Orphans: []Orphan{}, Others: []Orphan{}, Unasked: unasked}
	if s.Unasked == nil {
		s.Unasked = []Unasked{}
	}
	for _, f := range all {
		if f.others {
			s.Others = append(s.Others, f.Orphan)
		} else {
			s.Orphans = append(s.Orphans, f.Orphan)
		}
	}
	return s
}
