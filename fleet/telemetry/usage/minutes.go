package usage

import (
	"maps"
	"slices"
	"time"
)

// maxMinutes is for how many minutes before the newest one the tokens of a ship are kept by minute.
const maxMinutes = 240

// minutes count tokens by minute, in Unix minutes.
type minutes map[int64]int64

// add counts tokens at a time in Unix nanoseconds, and drops minutes that are too old.
func (m minutes) add(at uint64, n int64) {
	minute := int64(at / uint64(time.Minute))
	sum := m[minute]
	increase(&sum, n)
	m[minute] = sum
	if len(m) <= maxMinutes {
		return
	}
	newest := slices.Max(slices.Collect(maps.Keys(m)))
	maps.DeleteFunc(m, func(minute, _ int64) bool { return minute <= newest-maxMinutes })
}

// Ships returns the names of all ships that sent data, sorted.
func (s *Sums) Ships() []string { return slices.Sorted(maps.Keys(s.ships)) }

// Minutes returns the tokens of all kinds that a ship used in each of the n minutes before a time, the oldest first.
func (s *Sums) Minutes(ship string, before time.Time, n int) []int64 {
	all := make([]int64, n)
	if s.ships[ship] == nil {
		return all
	}
	end := before.Unix() / 60
	for i := range all {
		all[i] = s.ships[ship].minutes[end-int64(n-i)]
	}
	return all
}
