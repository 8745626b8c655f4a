package hush

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ocaptain/fleet/clean"
)

// Word replaces a secret.
const Word = "[secret]"

// shortest is the length from which on a secret is replaced. A shorter one would be an ordinary word.
const shortest = 6

// longLine is the length from which on a single line of a secret is replaced too, as programs may print the lines of
// a key separately.
const longLine = 16

// Secrets are secrets to be removed from texts. nil and the zero value have none. The methods are safe for concurrent
// use.
type Secrets struct{ words *strings.Replacer }

// NewSecrets returns Secrets with these secrets, which are found as they are and in their JSON form.
func NewSecrets(secrets ...string) *Secrets {
	var words []string
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		words = append(words, spellings(s)...)
		for line := range strings.Lines(s) {
			// The first and the last line of a PEM key are the same in all keys.
			if line = strings.TrimSpace(line); len(line) >= longLine && len(line) < len(s) && !strings.HasPrefix(line, "-----") {
				words = append(words, spellings(line)...)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) }) // longer first, since one may begin with another
	var pairs []string
	for _, w := range words {
		pairs = append(pairs, w, Word)
	}
	return &Secrets{strings.NewReplacer(pairs...)}
}

// spellings returns the forms in which a secret may be written: as it is, and in JSON as this and other programs
// write it.
func spellings(s string) []string {
	all := []string{s}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		_ = e.Encode(s) // cannot fail for a string
		all = append(all, strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HideText removes the secrets from a text. If escape sequences split a secret, such as a colour for each letter, it
// removes these too.
func (s *Secrets) HideText(text string) string {
	if s == nil || s.words == nil {
		return text
	}
	text = s.words.Replace(text)
	shown := clean.Whole(text)
	if hidden := s.words.Replace(shown); hidden != shown {
		return hidden
	}
	return text
}

// HideIn removes the secrets from the text of an error.
func (s *Secrets) HideIn(err error) error {
	if err == nil {
		return nil
	}
	return Retold(err, s.HideText(err.Error()))
}
