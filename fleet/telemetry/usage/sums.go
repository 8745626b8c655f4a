// Package usage sums what agents report that they have used: tokens, cost, requests and tools, by hour, ship, role,
// task and model.
//
// A Source stamps data with its origin. The Sums depend only on the stamped data, and each item counts once, however often it is sent.
package usage

import (
	"maps"
	"slices"
	"time"
)

// Limits of the rows of a ship.
const (
	mostModels = 16
	mostRows   = 4096
)

// Sums are the Totals of one voyage, and what is needed to count nothing twice. The zero Sums are empty.
//
// The methods use no lock, clock or disk. A Source must have stamped the data that they get.
type Sums struct {
	ships map[string]*shipSums
	count Count
}

// Count says what happened to points and records of known kinds.
type Count struct {
	Summed  int64 `json:"summed"`
	Again   int64 `json:"again"`   // had come before
	Late    int64 `json:"late"`    // not summed: too old to tell whether they had come before
	Invalid int64 `json:"invalid"` // not summed: not a number, negative, too large, or without a time
}

// shipSums are the sums of one ship.
type shipSums struct {
	rows    map[Key]*Totals
	models  map[string]bool
	streams streams

	delivered Delivered // the place in its newest spool
	minutes   minutes
}

// Count returns what happened to the points and records so far.
func (s *Sums) Count() Count { return s.count }

// Rows returns all Totals, by hour, ship, role, task and model.
func (s *Sums) Rows() []Row {
	var rows []Row
	for _, ship := range s.ships {
		for k, t := range ship.rows {
			rows = append(rows, Row{k, *t})
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return compareKeys(a.Key, b.Key) })
	return rows
}

// By groups the Totals: rows whose keys the function key maps to the same key become one. By(func(k Key) Key { return Key{Ship: k.Ship}
// }) returns one row for each ship. The rows are sorted.
func (s *Sums) By(key func(Key) Key) []Row {
	sums := map[Key]*Totals{}
	for _, r := range s.Rows() {
		k := key(r.Key)
		if sums[k] == nil {
			sums[k] = &Totals{}
		}
		sums[k].Add(r.Totals)
	}
	rows := make([]Row, 0, len(sums))
	for _, k := range slices.SortedFunc(maps.Keys(sums), compareKeys) {
		rows = append(rows, Row{k, *sums[k]})
	}
	return rows
}

// Cost returns what the agents of a ship have cost.
func (s *Sums) Cost(ship string) (sum Dollars) {
	if is := s.ships[ship]; is != nil {
		for _, t := range is.rows {
			sum += t.Cost
		}
	}
	return sum
}

// Total returns the sum of all rows.
func (s *Sums) Total() (t Totals) {
	for _, ship := range s.ships {
		for _, row := range ship.rows {
			t.Add(*row)
		}
	}
	return t
}

func (s *Sums) ship(name string) *shipSums {
	if s.ships == nil {
		s.ships = map[string]*shipSums{}
	}
	ship := s.ships[name]
	if ship == nil {
		ship = &shipSums{rows: map[Key]*Totals{}, models: map[string]bool{}, streams: streams{all: map[uint64]*stream{}}, minutes: minutes{}}
		s.ships[name] = ship
	}
	return ship
}

// note counts a verdict.
func (s *Sums) note(v verdict) {
	switch v {
	case fresh:
		s.count.Summed++
	case again:
		s.count.Again++
	case late:
		s.count.Late++
	}
}

// row returns the Totals of a key at a time in Unix nanoseconds. If there are too many models or hours, they share
// rows.
func (s *shipSums) row(k Key, at uint64) *Totals {
	k.Hour = int64(at/uint64(time.Hour)) * 3600
	if k.Model != "" && !s.models[k.Model] {
		if len(s.models) < mostModels {
			s.models[k.Model] = true
		} else {
			k.Model = Others
		}
	}
	t := s.rows[k]
	if t == nil {
		if len(s.rows) >= mostRows {
			s.shrink()
		}
		t = &Totals{}
		s.rows[k] = t
	}
	return t
}

// shrink merges the rows of the earlier half of the hours into rows without hour and task.
func (s *shipSums) shrink() {
	hours := make([]int64, 0, len(s.rows))
	for k := range s.rows {
		hours = append(hours, k.Hour)
	}
	slices.Sort(hours)
	middle := hours[len(hours)/2]
	for k, t := range s.rows {
		if k.Hour > middle || k.Hour == 0 && k.Task == "" {
			continue
		}
		delete(s.rows, k)
		k.Hour, k.Task = 0, ""
		if s.rows[k] == nil {
			s.rows[k] = &Totals{}
		}
		s.rows[k].Add(*t)
	}
}
