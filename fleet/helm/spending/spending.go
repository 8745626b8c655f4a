package spending

import (
	"log/slog"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/wake"
	"ocaptain/tasks"
)

// Options name the voyage, and what a Spending needs from helm.
type Options struct {
	Dir     fleet.Dir
	Guards  *fleet.Guards
	Files   *kept.Files
	Book    *book.Book
	Hinders *hindrance.Hindrances
	Log     *slog.Logger

	News  *wake.News  // is sent when ships are paused or may go on
	Paint wake.Signal // is sent when the board has changed
	Notes *notes.Notes
}

// Spending is what a voyage spends and may spend. Its methods are safe for concurrent use.
type Spending struct {
	Costs wake.News // is sent when the ships' allowances may have changed

	o  Options
	mu sync.Mutex
	is State
}

// New returns a Spending that begins with the state was.
func New(o Options, was State) *Spending {
	s := &Spending{o: o, is: was}
	s.watch(time.Now())
	return s
}

// Budget returns what the voyage may cost and has cost.
func (s *Spending) Budget() fleet.Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.budget(s.o.Guards)
}

// Paused returns why the voyage is paused, "" if it is not.
func (s *Spending) Paused(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.paused(s.o.Guards, now)
}

// PausedShip returns why a ship is paused, by itself or with the voyage, "" if it is not. The ship need not exist
// yet.
func (s *Spending) PausedShip(name string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.pausedShip(s.o.Guards, name, now)
}

// StopsSince returns since when a pause demands that the ship's agent is interrupted, the zero time if the agent may
// end its turn.
func (s *Spending) StopsSince(name string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.stopsSince(s.o.Guards, name, now)
}

// Allowance returns what the agent of a ship may cost while helm is away. built numbers the ship's machine; ships is
// the number of ships in the voyage.
func (s *Spending) Allowance(name string, built, ships int) proto.Allowance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.allowance(s.o.Guards, name, built, ships)
}

// allShips is a list of ships that stands for the whole voyage.
var allShips = []string{""}

// Pause pauses the named ships, or the whole voyage if none is named.
func (s *Spending) Pause(r api.PauseRequest) error {
	now := time.Now()
	ships := allShips
	if len(r.Ships) > 0 {
		ships = r.Ships
	}
	p := &fleet.Pause{Since: now, Until: r.Until}
	if r.Now {
		p.Now = now
	}
	if err := s.setPause(ships, p); err != nil {
		return err
	}
	for _, name := range ships {
		s.mu.Lock()
		text := fleet.Paused(now, s.is.Pauses[name], fleet.Budget{})
		s.mu.Unlock()
		s.o.Notes.Add(fleet.Note{Ship: name, Text: text})
	}
	return nil
}

// setPause begins pauses of ships, or ends them with nil.
func (s *Spending) setPause(ships []string, p *fleet.Pause) error {
	var last *book.Record
	s.mu.Lock()
	for _, ship := range ships {
		is := facts.Paused{Ship: ship, Pause: p}
		if was := s.is.Pauses[ship]; was != nil && p != nil {
			is.Pause = &fleet.Pause{Since: was.Since, Until: p.Until, Now: p.Now}
		}
		s.is.Pauses.Set(is)
		last = s.o.Book.Add(facts.KindPause, is)
	}
	s.mu.Unlock()
	s.o.News.Send()
	s.o.Paint.Send()
	return s.o.Hinders.OrAway("", last.Wait())
}

// Unpause ends the pauses of the named ships, whether by the captain or by their hourly rate. Without names it ends
// the captain's pause of the voyage. It returns notes about the effect.
func (s *Spending) Unpause(ships []string) ([]fleet.Note, error) {
	if len(ships) == 0 {
		ships = allShips
	}
	if err := s.forgive(ships, time.Now()); err != nil {
		return nil, err
	}
	s.Save()
	return s.endPause(ships)
}

// forgive ends pauses for the hourly rate of ships. It refuses a ship that is not paused.
func (s *Spending) forgive(ships []string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range ships {
		if why := s.is.notPaused(s.o.Guards, name, s.o.Dir.ID(), now); why != "" {
			return api.Refused("%s", why)
		}
	}
	for _, name := range ships {
		if s.is.rate(s.o.Guards, name, now).IsReached() {
			s.is.Usage.Ships[name].ForgiveHour()
			s.is.Usage.Changed = true
		}
	}
	return nil
}

func (s *Spending) endPause(ships []string) ([]fleet.Note, error) {
	if err := s.setPause(ships, nil); err != nil {
		return nil, err
	}
	var notes []fleet.Note
	for _, name := range ships {
		s.mu.Lock()
		n := fleet.Note{Ship: name, Text: s.is.afterPause(s.o.Guards, name, time.Now())}
		s.mu.Unlock()
		notes = append(notes, n)
		s.o.Notes.Add(n)
	}
	return notes, nil
}

// EndPauses ends the captain's pauses that are due, and returns the names of their ships, "" for the voyage. It
// includes ships whose hourly rate is no longer too high.
func (s *Spending) EndPauses(now time.Time) (over []string) {
	s.mu.Lock()
	over = s.is.Pauses.Over(now)
	s.mu.Unlock()
	if len(over) > 0 {
		if _, err := s.endPause(over); err != nil {
			s.o.Log.Warn("end of a pause", "error", err)
			over = nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, u := range s.is.Usage.Ships {
		if u.Rests.IsZero() {
			continue
		}
		if s.watchRate(name, u, now); u.Rests.IsZero() {
			s.o.News.Send()
		}
	}
	return over
}

// maxBudget bounds a budget, in US dollars: no voyage costs more.
const maxBudget = 1e6

// SetBudget sets what the voyage may cost. goOn reports whether paused ships may go on.
func (s *Spending) SetBudget(most float64) (is fleet.Budget, goOn bool, err error) {
	if !(most >= 0) || most > maxBudget {
		return fleet.Budget{}, false, api.Refused("a budget is from 0, for any sum, to %g US dollars", float64(maxBudget))
	}
	s.mu.Lock()
	was := s.is.budget(s.o.Guards)
	s.is.MaxCost, s.is.Near = &most, time.Time{}
	s.watch(time.Now())
	is = s.is.budget(s.o.Guards)
	written := s.o.Book.Add(facts.KindBudget, most)
	s.mu.Unlock()
	s.o.News.Send()
	s.o.Paint.Send()
	if err := s.o.Hinders.OrAway("", written.Wait()); err != nil {
		return was, false, err
	}
	s.o.Notes.Tell("its budget is set: " + is.String())
	return is, was.IsReached(), nil
}

// watch records whether the budget is nearly spent or spent. The caller holds s.mu, or is New.
func (s *Spending) watch(now time.Time) {
	s.Costs.Send()
	near, full := s.is.watch(s.o.Guards, now)
	if near {
		s.o.Paint.Send()
	}
	if full {
		s.o.Notes.Tell(s.is.paused(s.o.Guards, now) + "; to go on: " + moreBudget(s.o.Dir.ID()))
		s.o.News.Send()
	}
}

// Spend records what the agents of a ship have used up to the time at, as the ship reports it. built numbers the
// ship's machine.
func (s *Spending) Spend(ship string, built int, at time.Time, add func(*facts.Used)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, u := time.Now(), s.is.Usage.Of(ship, built)
	was := u.Cost()
	add(u)
	u.Spend(now, at, u.Cost()-was)
	s.is.Usage.Changed = true
	s.watch(now)
	s.watchRate(ship, u, now)
}

// watchRate records whether a ship's hourly rate is too high. The caller holds s.mu.
func (s *Spending) watchRate(ship string, u *facts.Used, now time.Time) {
	if !u.WatchRate(now, s.o.Guards.MaxRate) {
		return
	}
	if rate := s.is.rate(s.o.Guards, ship, now); rate.IsReached() {
		s.o.Notes.Add(fleet.Note{Ship: ship, Text: rate.String()})
	}
	s.is.Usage.Changed = true
	s.o.Paint.Send()
}

// Used returns what the agents of a ship have used.
func (s *Spending) Used(ship string) fleet.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.is.Usage.Ships[ship]; u != nil {
		return u.Sum()
	}
	return fleet.Usage{}
}

// Show adds the voyage's costs and pauses to a board.
func (s *Spending) Show(b *fleet.Board) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Pause, b.Budget, b.Usage = s.is.Pauses[""], s.is.budget(s.o.Guards), s.is.Usage.Sum()
}

// ShowShip adds a ship's usage and pauses to a board. held is the task that the ship holds, or nil; maxTurns is how
// many turns the agent may take for it, 0 for any number.
func (s *Spending) ShowShip(now time.Time, held *tasks.State, maxTurns int, ship *fleet.ShipView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ship.Pause, ship.Rate = s.is.Pauses[ship.Name], s.is.rate(s.o.Guards, ship.Name, now)
	u := s.is.Usage.Ships[ship.Name]
	if u == nil {
		return
	}
	ship.Usage = u.Sum()
	if u.Built == ship.Built {
		ship.Turn, ship.Conversation = u.Turn, u.Conversation
	}
	if ship.MaxTurns = maxTurns; maxTurns == 0 {
		return
	}
	ship.Turn = 0
	if held != nil && u.Claim == tasks.ClaimID(held.ID, held.Epoch) {
		ship.Turn = u.ClaimTurns()
	}
}

// Save writes the usage file, if the usage has changed.
func (s *Spending) Save() {
	s.mu.Lock()
	if !s.is.Usage.Changed {
		s.mu.Unlock()
		return
	}
	s.is.Usage.Changed = false
	all := make(map[string]facts.Used, len(s.is.Usage.Ships))
	for name, u := range s.is.Usage.Ships {
		all[name] = *u // the value is replaced, never changed in place
	}
	s.mu.Unlock()
	if err := s.o.Files.Write(s.o.Dir.UsageFile(), all, 0o600); err != nil {
		s.o.Log.Error("usage.json", "error", err)
		s.Outdate()
	}
}

// Outdate makes the next Save write the file even if the usage has not changed.
func (s *Spending) Outdate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is.Usage.Changed = true
}

// Restate writes the pauses and the budget to a journal that has lost them.
func (s *Spending) Restate() {
	s.mu.Lock() // holding the lock, so that later changes are journaled after these records
	defer s.mu.Unlock()
	for _, r := range s.is.records() {
		s.o.Book.Add(r.Kind, r.Data)
	}
}

// Forget drops the pauses of ships that are gone.
func (s *Spending) Forget(there map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is.Pauses.Forget(there)
}
