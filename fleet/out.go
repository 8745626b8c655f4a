package fleet

import "time"

// IsOut reports whether the ship may have a machine that costs money. The machine of a ship that could not be
// provisioned may stay for long.
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

// Lasted adds the lifetime of the ship's machine to the bill: the machine is gone.
func (f *Fleet) Lasted(now time.Time, s *Ship) {
	if f.Gone == nil {
		f.Gone = map[string]time.Duration{}
	}
	f.Gone[s.Provider] += s.AgeAt(now)
}
