package hush

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ocaptain/fleet/clean"
)

// Word is what stands in the place of a secret.
const Word = "[secret]"

// shortest is how long a secret must be to be taken out: a shorter one is a word, not a key.
const shortest = 6

// longLine is how long a line of a secret must be to be one by itself: programs print keys of several lines
// one after the other, or with something in between.
const longLine = 16

// Secrets are known and taken out of texts. nil, as the zero value, knows none. It may be used by
// several goroutines at once.
type Secrets struct{ words *strings.Replacer }

// NewSecrets returns the secrets, to be taken out as they are and as JSON writes them.
func NewSecrets(secrets ...string) *Secrets {
	var words []string
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		words = append(words, spellings(s)...)
		for line := range strings.Lines(s) {
			// The first and the last line of such a key are the same in every one.
			if line = strings.TrimSpace(line); len(line) >= longLine && len(line) < len(s) && !strings.HasPrefix(line, "-----") {
				words = append(words, spellings(line)...)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) }) // one may begin with another
	var pairs []string
	for _, w := range words {
		pairs = append(pairs, w, Word)
	}
	return &Secrets{strings.NewReplacer(pairs...)}
}

// spellings are how a secret may be written: as it is, and in JSON by this program and by others.
func spellings(s string) []string {
	all := []string{s}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		_ = e.Encode(s) // a string always can
		all = append(all, strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HideText takes the secrets out of a text. A secret that shows only on screen, as each letter has its own colour, is
// taken out with the colours.
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

// HideIn takes the secrets out of what an error says.
func (s *Secrets) HideIn(err error) error {
	if err == nil {
		return nil
	}
	return Retold(err, s.HideText(err.Error()))
}
