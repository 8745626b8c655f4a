// Package voyages lists the voyages to choose from, and the machines that belong to none.
package voyages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/theme"
	"ocaptain/ui/dash/header"
	"ocaptain/ui/words"
)

// Row is a voyage in the list.
type Row struct {
	Dir   fleet.Dir
	board fleet.Board
}

// List reads the voyages, newest first.
func List(hub fleet.Hub) ([]Row, error) {
	dirs, err := fleet.Voyages(hub.Voyages).List()
	var rows []Row
	for _, d := range slices.Backward(dirs) {
		rows = append(rows, Row{d, read(d)})
	}
	return rows, err
}

// read reads the board of a voyage, with the tasks unless the voyage is sunk: the tasks show whether it can go on.
func read(d fleet.Dir) fleet.Board {
	b, err := fleet.ReadSummary(d)
	if err != nil {
		b.Voyage.Prompt = "cannot be read: " + err.Error()
		return b
	}
	if whole, err := fleet.LoadBoard(d); err == nil && !b.Phase.IsOver() && whole.Phase == b.Phase {
		return whole
	}
	return b
}

// Name returns the name of the voyage.
func (r Row) Name() string {
	return clean.Line(header.Title(&r.board.Voyage, r.Dir.ID()))
}

// Side returns the state of the voyage.
func (r Row) Side(now time.Time) string {
	b := &r.board
	phase := theme.BoardState(b)
	of := "ship"
	if b.Voyage.PoolName() != "" {
		of = "worker"
	}
	side := fmt.Sprintf("%s %s · %s · %s · %s", phase.Glyph, phase.Word, words.Counted(len(b.Ships), of),
		words.Age(now.Sub(b.Voyage.CreatedAt)), strings.TrimPrefix(r.Dir.ID(), "voyage-"))
	if rest := words.AllRest(b.Ships); rest != "" {
		side = rest + " · " + side
	}
	if cost := words.Dollars(b.Usage.CostUSD); cost != "" {
		side = cost + " · " + side
	}
	if n := len(need.All(now, b, need.Away{})); n > 0 {
		side = "▲ " + words.Needs(n) + " · " + side
	}
	return clean.Line(side)
}

// Orphans lists the machines that belong to no voyage, and what could not be found out; request destroys the
// machines.
func Orphans(found api.Sweep, now time.Time) (lines []string, request api.SweepRequest) {
	for _, o := range found.Orphans {
		made := ""
		if !o.Created.IsZero() {
			made = ", made " + words.Since(now, o.Created)
		}
		lines = append(lines, fmt.Sprintf("%s at %s%s: %s", o.Name, o.Provider, made, words.Orphan(o)))
		request.Machines = append(request.Machines, api.Target(o))
	}
	for _, u := range found.Unasked {
		lines = append(lines, u.Provider+" was not asked: "+u.Why)
	}
	if n := len(found.Others); n > 0 {
		lines = append(lines, words.Counted(n, "machine")+" not of this install: left alone; see ocaptain sweep --dry-run")
	}
	return lines, request
}
