package voyage

import (
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/machines"
)

// load takes over what is known of the voyage and its ships, and has the journal tell all of that.
func (v *Voyage) load() (*saved.Voyage, error) {
	was, err := saved.Open(v.dir, &v.files)
	if err != nil {
		return nil, err
	}
	v.journal, v.book = was.Journal, book.Open(was.Journal, v.notWritten)
	if v.kind = kindOf(was.Info); v.kind == nil {
		return nil, fmt.Errorf("it is of kind %q, which this ocaptain does not know: use the ocaptain that made the voyage", was.Info.Kind)
	}
	if was.FleetLost {
		records, err := v.common.Machines.All()
		if err != nil {
			return nil, err
		}
		was.Adopt(v.kind, slices.DeleteFunc(records, func(r machines.Record) bool { return v.common.Providers[r.Provider] == nil }))
	}
	v.info, v.orders = was.Info, was.Orders
	v.roster = roster.New(roster.Options{
		Dir: v.dir, Files: &v.files, Book: v.book, Log: v.log, News: &v.news, Paint: v.paint, Closed: errHelmEnds,
	}, was.Fleet, was.Recorder)
	v.facts, v.limits = was.State, was.Limits
	v.notes = notes.New(v.book, v.secrets.Redact, v.paint, was.Notes)
	v.proposals = proposals.New(proposals.Options{Book: v.book, Redact: v.secrets.Redact, Paint: v.paint}, was.Proposals)
	for _, r := range was.Lacks {
		v.book.Add(r.Kind, r.Data)
	}
	v.book.Flush()
	return was, nil
}

// notWritten takes in that a record could not be written to the journal.
func (v *Voyage) notWritten(kind string, err error) {
	if v.ctx.Err() == nil {
		v.log.Error("journal", "kind", kind, "error", err)
	}
	if kind == fleet.KindFleet {
		v.roster.NotWritten(err)
	}
}
