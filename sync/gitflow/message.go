package gitflow

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// Bounds on commit messages, in characters.
const (
	maxSubject = 300
	maxBody    = 64 << 10
)

// checkMerge makes sure that a merge was asked for in a form that can be recorded.
func checkMerge(m sync.Merge) error {
	if !git.IsRemoteName(m.Name) {
		return fmt.Errorf("name %q of a remote: use letters, digits, dots, dashes and underscores", git.PlainText(m.Name))
	}
	if strings.TrimSpace(m.Subject) == "" {
		return errors.New("subject: must not be empty")
	}
	if m.Keep != "" && !git.IsKeepable(m.Keep) {
		return fmt.Errorf("ref %q: must be a plain name under %s that is not one of its own", git.PlainText(m.Keep), git.RefsAll)
	}
	if m.Onto != "" && len(m.Trailers) == 0 {
		return errors.New("trailers: a branch of its own needs one, which tells whose work it holds")
	}
	for _, t := range m.Trailers {
		if err := checkTrailer(t[0], t[1]); err != nil {
			return err
		}
	}
	_, err := parsePerson(m.Author)
	return err
}

// checkTrailer makes sure that a trailer is one line that reads back as it was.
func checkTrailer(key, value string) error {
	for _, c := range []byte(key) {
		if !git.IsWord(c) || c == '_' {
			return fmt.Errorf("trailer %q: use letters, digits and dashes", git.PlainText(key))
		}
	}
	if key == "" || value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("trailer %q: needs a key and one line of text", git.PlainText(key))
	}
	return nil
}

// message writes a commit message. The trailers stand in a paragraph of their own, so nothing in the body passes for one.
func message(m sync.Merge) string {
	var b strings.Builder
	b.WriteString(cut(strings.Join(strings.Fields(text(m.Subject)), " "), maxSubject))
	b.WriteString("\n")
	if body := strings.TrimSpace(text(m.Body)); body != "" {
		b.WriteString("\n" + cut(body, maxBody) + "\n")
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
