package words

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
)

// Losses says what would be lost with a ship, "" for nothing.
func Losses(s *fleet.ShipView) string {
	switch {
	case !s.IsNone():
		text := fmt.Sprintf("%s has %s that %s not merged", s.Name, s.ListText(), s.Verb())
		if s.Task != "" {
			text += ", for task " + s.Task
		}
		if s.Changed > 0 && !s.Copied.IsZero() {
			text += "; a copy of " + s.Copied.Local().Format(time.DateTime) + " stays: ocaptain diff " + s.Name
		}
		return text + uncopied(s)
	case uncopied(s) != "":
		return s.Name + strings.TrimPrefix(uncopied(s), "; it")
	}
	return ""
}

// Ignored says which git-ignored files of a ship are in no copy of its work, "" for none.
func Ignored(s *fleet.ShipView) string {
	if s.Ignored.Files == 0 {
		return ""
	}
	return s.Name + " has " + s.Ignored.ListText()
}

// uncopied says that the ship's present work is unknown, "" when it is known.
func uncopied(s *fleet.ShipView) string {
	if s.Uncopied == "" && s.Status.Word != fleet.Unreachable {
		return ""
	}
	text := "; it cannot be reached, so what it holds is not known"
	if s.Status.Word != fleet.Unreachable {
		text = "; it could not be looked at now: " + s.Uncopied
	}
	if !s.Copied.IsZero() {
		text += "; the last copy of its tree is of " + s.Copied.Local().Format(time.DateTime)
	}
	return text
}

// Unmerged says in few cells what a ship has not merged: 2 files, 3 commits, 1 stashed.
func Unmerged(u fleet.Unmerged) string {
	var parts []string
	if u.Changed > 0 {
		parts = append(parts, Counted(u.Changed, "file"))
	}
	if n := u.Commits(); n > 0 {
		parts = append(parts, Counted(n, "commit"))
	}
	if u.Stashed > 0 {
		parts = append(parts, fmt.Sprintf("%d stashed", u.Stashed))
	}
	return strings.Join(parts, ", ")
}
