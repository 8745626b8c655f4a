package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
)

// Losses says what would be lost with a ship, "" when nothing would be.
func Losses(s *fleet.ShipView) string {
	switch {
	case !s.None():
		text := fmt.Sprintf("%s has %s that %s not merged", s.Name, s.What(), s.Verb())
		if s.Task != "" {
			text += ", for task " + s.Task
		}
		return text
	case s.Status.Word == fleet.Unreachable:
		return s.Name + " cannot be reached, so what it holds is not known"
	}
	return ""
}

// Unmerged says in a few cells what a ship has not merged: 2 files, 3 commits, 1 stashed.
func Unmerged(u fleet.Unmerged) string {
	var parts []string
	if u.Changed > 0 {
		parts = append(parts, Count(u.Changed, "file"))
	}
	if n := u.Commits(); n > 0 {
		parts = append(parts, Count(n, "commit"))
	}
	if u.Stashed > 0 {
		parts = append(parts, fmt.Sprintf("%d stashed", u.Stashed))
	}
	return strings.Join(parts, ", ")
}
