package usage

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// State is the form of Sums in a file.
type State struct {
	Count Count               `json:"count"`
	Ships map[string]shipJSON `json:"ships"`
}

type shipJSON struct {
	Rows    []Row        `json:"rows"`
	Models  []string     `json:"models,omitempty"`
	Floor   uint64       `json:"floor,omitempty"`
	Streams []streamJSON `json:"streams,omitempty"`

	Delivered Delivered `json:"delivered,omitzero"`
	Minutes   minutes   `json:"minutes,omitempty"`
}

// streamJSON has its marks and totals as numbers of eight bytes, little-endian.
type streamJSON struct {
	ID     uint64 `json:"id"`
	Floor  uint64 `json:"floor,omitempty"`
	Last   uint64 `json:"last"`
	Begun  uint64 `json:"begun,omitempty"`
	Marks  []byte `json:"marks,omitempty"`
	Totals []byte `json:"totals,omitempty"`
}

// State returns everything that is needed to continue the sums.
func (s *Sums) State() State {
	all := State{Count: s.count, Ships: map[string]shipJSON{}}
	for name, ship := range s.ships {
		j := shipJSON{Models: slices.Sorted(maps.Keys(ship.models)), Floor: ship.streams.floor, Delivered: ship.delivered, Minutes: ship.minutes}
		for k, t := range ship.rows {
			j.Rows = append(j.Rows, Row{k, *t})
		}
		slices.SortFunc(j.Rows, func(a, b Row) int { return compareKeys(a.Key, b.Key) })
		for _, id := range slices.Sorted(maps.Keys(ship.streams.all)) {
			j.Streams = append(j.Streams, ship.streams.all[id].json(id))
		}
		all.Ships[name] = j
	}
	return all
}

// Sums returns the sums of a state.
func (all State) Sums() (*Sums, error) {
	s := &Sums{count: all.Count}
	for name, j := range all.Ships {
		ship := s.ship(name)
		ship.streams.floor, ship.delivered = j.Floor, j.Delivered
		maps.Copy(ship.minutes, j.Minutes)
		for _, r := range j.Rows {
			ship.rows[r.Key] = &r.Totals
		}
		for _, m := range j.Models {
			ship.models[m] = true
		}
		for _, sj := range j.Streams {
			st, err := sj.stream()
			if err != nil {
				return nil, fmt.Errorf("ship %q: %w", name, err)
			}
			ship.streams.all[sj.ID] = st
		}
	}
	return s, nil
}

func (s *stream) json(id uint64) streamJSON {
	j := streamJSON{ID: id, Floor: s.floor, Last: s.last, Begun: s.begun}
	for _, m := range s.marks {
		j.Marks = put(j.Marks, m.id, m.at)
	}
	for _, t := range s.totals {
		j.Totals = put(j.Totals, t.start, t.at, uint64(t.value))
	}
	return j
}

func (j streamJSON) stream() (*stream, error) {
	if len(j.Marks)%16 != 0 || len(j.Totals)%24 != 0 {
		return nil, fmt.Errorf("stream %d: marks of %d bytes and totals of %d bytes", j.ID, len(j.Marks), len(j.Totals))
	}
	s := &stream{floor: j.Floor, last: j.Last, begun: j.Begun}
	for b := range slices.Chunk(j.Marks, 16) {
		s.marks = append(s.marks, mark{get(b, 0), get(b, 1)})
	}
	slices.SortStableFunc(s.marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) }) // in an older file they are in order of arrival
	for b := range slices.Chunk(j.Totals, 24) {
		s.totals = append(s.totals, total{get(b, 0), get(b, 1), int64(get(b, 2))})
	}
	return s, nil
}

func put(b []byte, all ...uint64) []byte {
	for _, n := range all {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func get(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
