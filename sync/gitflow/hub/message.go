package hub

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

// checkMerge makes sure that a merge was asked for in a form that can be recorded.
func (h *Hub) checkMerge(m sync.Merge) error {
	switch {
	case !git.IsRemoteName(m.Name):
		return fmt.Errorf("name %q of a remote: use letters, digits, dots, dashes and underscores", git.PlainText(m.Name))
	case m.Onto != "" && m.Aside != "":
		return errors.New("onto, aside: the work can go to one place: give only one of them")
	case m.Stacked && m.Aside == "":
		return errors.New("stacked: only what is kept aside can be: give a ref for it")
	case len(m.Add) > 0 || m.On != "":
		return errors.New("add, on: they are for what is landed")
	case h.opts.Shared && (m.Onto != "" || m.Aside != "" || m.Keep != ""):
		return errors.New("onto, aside, keep: the work is in a tree that all share: leave them empty")
	}
	return checkOrder(m)
}

// checkLand is checkMerge for work that no remote tree is asked for.
func checkLand(m sync.Merge) error {
	if m.Keep != "" || m.Onto != "" || m.Stacked {
		return errors.New("keep, onto, stacked: only the work of a remote tree can be: leave them empty")
	}
	if m.On != "" && m.Aside == "" {
		return errors.New("on: only what is kept aside can be on top of a commit: give a ref for it")
	}
	return checkOrder(m)
}

func checkOrder(m sync.Merge) error {
	if strings.TrimSpace(m.Subject) == "" {
		return errors.New("subject: must not be empty")
	}
	for _, ref := range []string{m.Keep, m.Aside} {
		if err := checkRef(ref); ref != "" && err != nil {
			return err
		}
	}
	if m.Onto != "" && len(m.Trailers) == 0 {
		return errors.New("trailers: a branch of its own needs one, which tells whose work it holds")
	}
	for _, t := range m.Trailers {
		if err := branch.CheckTrailer(t[0], t[1]); err != nil {
			return err
		}
	}
	_, err := origin.ParsePerson(m.Author)
	return err
}

// checkRef returns an error for a ref that callers may not use.
func checkRef(ref string) error {
	if git.IsKeepable(ref) {
		return nil
	}
	return fmt.Errorf("ref %q: must be a plain name under %s that is not one of its own", git.PlainText(ref), git.RefsAll)
}

// message writes a commit message. The trailers stand in a paragraph of their own, so nothing in the body passes for one.
func message(m sync.Merge) string {
	var b strings.Builder
	b.WriteString(wire.Cut(strings.Join(strings.Fields(text(m.Subject)), " "), maxSubject))
	b.WriteString("\n")
	if body := strings.TrimSpace(text(m.Body)); body != "" {
		b.WriteString("\n" + wire.Cut(body, maxBody) + "\n")
	}
	if len(m.Trailers) > 0 {
		b.WriteString("\n")
	}
	for _, t := range m.Trailers {
		b.WriteString(t[0] + ": " + t[1] + "\n")
	}
	return b.String()
}

// text is what git takes in a message.
func text(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "") }
