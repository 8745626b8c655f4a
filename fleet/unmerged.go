package fleet

import (
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
)

// Unmerged is unmerged work of a ship that would be lost with it, as far as helm has looked.
type Unmerged struct {
	Changed int         `json:"changed,omitempty"` // the number of changed files in its tree
	Sides   []sync.Side `json:"sides,omitempty"`   // branches other than the one checked out
	Stashed int         `json:"stashed,omitempty"` // the number of entries in its stash
}

// IsNone reports whether the ship has no unmerged work.
func (u Unmerged) IsNone() bool { return u.Changed == 0 && len(u.Sides) == 0 && u.Stashed == 0 }

// SameBeside reports whether u and o are equal apart from their trees.
func (u Unmerged) SameBeside(o Unmerged) bool {
	return u.Stashed == o.Stashed && slices.Equal(u.Sides, o.Sides)
}

// Commits returns how many commits the branches have.
func (u Unmerged) Commits() int {
	n := 0
	for _, s := range u.Sides {
		n += s.Commits
	}
	return n
}

// ListText lists the unmerged work in words, such as "1 file, 2 commits on branch x and 1 stash".
func (u Unmerged) ListText() string {
	var parts []string
	if u.Changed > 0 {
		parts = append(parts, Counted(u.Changed, "file", "files"))
	}
	switch {
	case len(u.Sides) == 1:
		parts = append(parts, Counted(u.Sides[0].Commits, "commit", "commits")+" on branch "+u.Sides[0].Branch)
	case len(u.Sides) > 1:
		parts = append(parts, fmt.Sprintf("%d commits on %d branches (%s, …)", u.Commits(), len(u.Sides), u.Sides[0].Branch))
	}
	if u.Stashed > 0 {
		parts = append(parts, Counted(u.Stashed, "stash", "stashes"))
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

// Verb returns the verb that fits the list: "is" or "are".
func (u Unmerged) Verb() string {
	if u.Changed+u.Commits()+u.Stashed == 1 {
		return "is"
	}
	return "are"
}

// Counted returns a number and a noun, one or more, that fits it.
func Counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Past is what a ship's last machine left behind when it was replaced.
type Past struct {
	Task    string `json:"task,omitempty"` // the task that it held
	Subject string `json:"subject,omitempty"`
	Parked  string `json:"parked,omitempty"` // the ref that keeps its unmerged work
}
