package logs

import "slices"

// Query says which lines are wanted. The zero value wants all that say something.
type Query struct {
	Ships []string        // empty for all
	Role  string          // "" for all
	Fits  bool            // only lines that tell how ships were fitted out
	Mute  bool            // also lines that say nothing in words
	Keep  func(Line) bool // which of them; nil for all
}

// Wants reports whether the query asks for the line.
func (q Query) Wants(l Line) bool {
	return (l.Words != "" || q.Mute) && (!q.Fits || l.IsProvisioning()) && q.wantsShip(l.Ship) && (q.Role == "" || q.Role == l.Role) && (q.Keep == nil || q.Keep(l))
}

func (q Query) wantsShip(name string) bool {
	return len(q.Ships) == 0 || slices.Contains(q.Ships, name)
}
