package fleet

import "time"

// IsOut reports whether a machine of the ship is there, or perhaps there, and costs what such a
// machine costs. That of a ship that could not be provisioned may stay for long.
func (s *Ship) IsOut() bool {
	return s.Phase != Planned && (s.Phase != Failed || s.Stays != "")
}

// CountOut counts the ships that are out.
func (f *Fleet) CountOut() int {
	n := 0
	for _, s := range f.Ships {
		if s.IsOut() {
			n++
		}
	}
	return n
}

// Lasted records, for the bill, that the ship's machine is gone.
func (f *Fleet) Lasted(now time.Time, s *Ship) {
	if f.Gone == nil {
		f.Gone = map[string]time.Duration{}
	}
	f.Gone[s.Provider] += s.AgeAt(now)
}
