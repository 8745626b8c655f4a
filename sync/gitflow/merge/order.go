package merge

import (
	"errors"
	"fmt"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/wire"
)

// Bounds on commit messages, in characters.
const (
	maxSubject = 300
	maxBody    = 64 << 10
)

// CheckOrder returns an error for a sync.Merge with fields that are invalid or exclude each other.
func (m *Merger) CheckOrder(order sync.Merge) error {
	switch {
	case !git.IsRemoteName(order.Name):
		return fmt.Errorf("name %q of a remote: use letters, digits, dots, dashes and underscores", git.PlainText(order.Name))
	case order.Onto != "" && order.Aside != "":
		return errors.New("onto, aside: the work can go to one place: give only one of them")
	case order.Stacked && order.Aside == "":
		return errors.New("stacked: only what is kept aside can be: give a ref for it")
	case len(order.Add) > 0 || order.On != "":
		return errors.New("add, on: they are for what is landed")
	case m.Workspace.Shared && (order.Onto != "" || order.Aside != "" || order.Keep != ""):
		return errors.New("onto, aside, keep: the work is in a tree that all share: leave them empty")
	}
	return checkOrder(order)
}

// checkLand is CheckOrder for Land and Revert, which ask no remote tree.
func checkLand(order sync.Merge) error {
	if order.Keep != "" || order.Onto != "" || order.Stacked {
		return errors.New("keep, onto, stacked: only the work of a remote tree can be: leave them empty")
	}
	if order.On != "" && order.Aside == "" {
		return errors.New("on: only what is kept aside can be on top of a commit: give a ref for it")
	}
	return checkOrder(order)
}

func checkOrder(order sync.Merge) error {
	if strings.TrimSpace(order.Subject) == "" {
		return errors.New("subject: must not be empty")
	}
	for _, ref := range []string{order.Keep, order.Aside} {
		if err := checkRef(ref); ref != "" && err != nil {
			return err
		}
	}
	if order.Onto != "" && len(order.Trailers) == 0 {
		return errors.New("trailers: a branch of its own needs one, which tells whose work it holds")
	}
	for _, t := range order.Trailers {
		if err := branch.CheckTrailer(t[0], t[1]); err != nil {
			return err
		}
	}
	_, err := origin.ParsePerson(order.Author)
	return err
}

// checkRef returns an error for a ref that callers may not use.
func checkRef(ref string) error {
	if git.IsKeepable(ref) {
		return nil
	}
	return fmt.Errorf("ref %q: must be a plain name under %s that is not one of its own", git.PlainText(ref), git.RefsAll)
}

// message returns the commit message. The trailers are a paragraph of their own, so git takes no line of the body for
// a trailer.
func message(order sync.Merge) string {
	var b strings.Builder
	b.WriteString(wire.Cut(strings.Join(strings.Fields(text(order.Subject)), " "), maxSubject))
	b.WriteString("\n")
	if body := strings.TrimSpace(text(order.Body)); body != "" {
		b.WriteString("\n" + wire.Cut(body, maxBody) + "\n")
	}
	if len(order.Trailers) > 0 {
		b.WriteString("\n")
	}
	for _, t := range order.Trailers {
		b.WriteString(t[0] + ": " + t[1] + "\n")
	}
	return b.String()
}

// text removes what git refuses in a message.
func text(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "") }
