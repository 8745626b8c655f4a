package voyage

import (
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/records"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/machines"
)

// load reads the state of the voyage and its ships from disk and journal.
func (v *Voyage) load() (*saved.Voyage, error) {
	was, err := saved.Open(v.Dir, &v.Files)
	if err != nil {
		return nil, err
	}
	v.journal, v.Book = was.Journal, book.Open(was.Journal, func(kind string, err error) {
		if v.Context.Err() == nil {
			v.Log.Error("journal", "kind", kind, "error", err)
		}
		if kind == fleet.KindFleet {
			v.Roster.NotWritten(err)
		}
	})
	if v.Kind = kindOf(was.Info); v.Kind == nil {
		return nil, fmt.Errorf("it is of kind %q, which this ocaptain does not know: use the ocaptain that made the voyage", was.Info.Kind)
	}
	if was.FleetLost {
		records, err := v.common.Machines.All()
		if err != nil {
			return nil, err
		}
		was.Adopt(v.Kind, slices.DeleteFunc(records, func(r machines.Record) bool { return v.common.Providers[r.Provider] == nil }))
	}
	v.Info = was.Info
	v.Roster = roster.New(roster.Options{
		Dir: v.Dir, Files: &v.Files, Book: v.Book, Log: v.Log, News: &v.News, Paint: v.Paint, Closed: core.ErrEnds,
	}, was.Fleet, was.Recorder)
	v.Records, v.limits = records.New(v.Book, was.State), was.Limits
	v.Notes = notes.New(v.Book, v.Secrets.Redact, v.Paint, was.Notes)
	v.Proposals = proposals.New(proposals.Options{Book: v.Book, Redact: v.Secrets.Redact, Paint: v.Paint}, was.Proposals)
	for _, r := range was.Lacks {
		v.Book.Add(r.Kind, r.Data)
	}
	v.Book.Flush()
	return was, nil
}
