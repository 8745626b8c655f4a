package logs

import "slices"

// Query says which lines to read. The zero value reads all lines with words.
type Query struct {
	Ships []string        // empty for all
	Role  string          // "" for all
	Fits  bool            // only lines about provisioning
	Mute  bool            // also lines without words
	Keep  func(Line) bool // a further condition; nil for none
}

// Wants reports whether the query asks for the line.
func (q Query) Wants(l Line) bool {
	return (l.Words != "" || q.Mute) && (!q.Fits || l.IsProvisioning()) && q.wantsShip(l.Ship) && (q.Role == "" || q.Role == l.Role) && (q.Keep == nil || q.Keep(l))
}

func (q Query) wantsShip(name string) bool {
	return len(q.Ships) == 0 || slices.Contains(q.Ships, name)
}
