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

// Options are whose spending it is.
type Options struct {
	Dir     fleet.Dir
	Guards  *fleet.Guards
	Files   *kept.Files
	Book    *book.Book
	Hinders *hindrance.Hindrances
	Log     *slog.Logger

	News  *wake.News  // is sent when ships may begin something again, or not any more
	Paint wake.Signal // is sent when readers are shown something else
	Notes *notes.Notes
}

// Spending is a voyage's. Its methods are safe for concurrent use.
type Spending struct {
	Costs wake.News // is sent when what ships may cost may have changed

	o  Options
	mu sync.Mutex
	is State
}

// New goes on with what was known.
func New(o Options, was State) *Spending {
	s := &Spending{o: o, is: was}
	s.watch(time.Now())
	return s
}

// Budget is what the voyage may cost and has cost.
func (s *Spending) Budget() fleet.Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.budget(s.o.Guards)
}

// Paused says why the voyage's ships begin nothing, "" when they may.
func (s *Spending) Paused(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.paused(s.o.Guards, now)
}

// PausedShip says why a ship, also a coming one, begins nothing; "" when it may.
func (s *Spending) PausedShip(name string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.pausedShip(s.o.Guards, name, now)
}

// StopsSince returns when a ship's agent was to be interrupted, the zero time where it ends its turn.
func (s *Spending) StopsSince(name string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.stopsSince(s.o.Guards, name, now)
}

// Allowance is what the agent of a ship may cost while helm is away. Its machine is the built-th, and the voyage has so many ships.
func (s *Spending) Allowance(name string, built, ships int) proto.Allowance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.allowance(s.o.Guards, name, built, ships)
}

// allShips is a list of ships that stands for the whole voyage.
var allShips = []string{""}

// Pause has ships, all where none is named, begin nothing from now on.
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

// Unpause ends what pauses ships alone, the captain's pause or what they cost within an hour, or without ships the captain's pause of the
// voyage. It returns what comes of it.
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

// forgive ends that ships are paused for what they cost within an hour. It refuses that where a ship is not paused.
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

// EndPauses ends the captain's pauses whose time has come, and returns whose they were, "" for the voyage's. Ships whose costs within an hour
// are not too much any more go on as well.
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

// maxBudget is more than any voyage costs, in US dollars.
const maxBudget = 1e6

// SetBudget sets what the voyage may cost. It reports whether that lets ships go on.
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

// watch notes how far the budget is spent. The caller holds s.mu, or is New.
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

// Spend takes over what the agents of a ship have used up to a time, which the ship tells. Its machine is the built-th.
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

// watchRate notes that a ship's agent costs too much within an hour, or not any more. The caller holds s.mu.
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

// Used is what the agents of a ship have used.
func (s *Spending) Used(ship string) fleet.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.is.Usage.Ships[ship]; u != nil {
		return u.Sum()
	}
	return fleet.Usage{}
}

// Show puts on a board what the voyage has cost and why its ships begin nothing.
func (s *Spending) Show(b *fleet.Board) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Pause, b.Budget, b.Usage = s.is.Pauses[""], s.is.budget(s.o.Guards), s.is.Usage.Sum()
}

// ShowShip puts on a board what a ship has used and why it begins nothing. Its agent may take so many turns for the task that it holds, nil
// for none; 0 is any number.
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

// Save writes what was used, if that has changed.
func (s *Spending) Save() {
	s.mu.Lock()
	if !s.is.Usage.Changed {
		s.mu.Unlock()
		return
	}
	s.is.Usage.Changed = false
	all := make(map[string]facts.Used, len(s.is.Usage.Ships))
	for name, u := range s.is.Usage.Ships {
		all[name] = *u // nothing in it is changed in place
	}
	s.mu.Unlock()
	if err := s.o.Files.Write(s.o.Dir.UsageFile(), all, 0o600); err != nil {
		s.o.Log.Error("usage.json", "error", err)
		s.Outdate()
	}
}

// Outdate has the next Save write what was used although it has not changed.
func (s *Spending) Outdate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is.Usage.Changed = true
}

// Restate writes the pauses and the budget to the journal, which has lost them.
func (s *Spending) Restate() {
	s.mu.Lock() // what changes meanwhile is written after it
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
