package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// answer collects the mistakes in data that an agent hands in, so that one error can list them all.
type answer struct{ wrong []string }

func (a *answer) bad(format string, args ...any) {
	a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
}

func (a *answer) err() error {
	if len(a.wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(a.wrong, "\n"))
}

func (a *answer) readText(at, key string, value json.RawMessage, to *string) {
	if err := json.Unmarshal(value, to); err != nil {
		a.bad("%s is %s, and must be a text", at, Shorten(string(value)))
		return
	}
	most, line := maxPartText, false
	switch key {
	case "id", "title", "group", "type":
		most, line = maxTitleLen, true
	}
	if len(*to) > most {
		a.bad("%s has %d bytes, and %d are allowed", at, len(*to), most)
		*to = "x" // set once, so that the same text is not reported again
	}
	a.checkText(at, *to, line)
}

// checkText reports a control character. If line is set, the text must be a single line.
func (a *answer) checkText(at, text string, line bool) {
	for _, r := range text {
		if r == utf8.RuneError || unicode.IsControl(r) && (line || r != '\n' && r != '\t') {
			a.bad("%s has the character %q: take it out", at, r)
			return
		}
	}
}

func (a *answer) readList(at string, value json.RawMessage, to *[]string, most int) {
	if err := json.Unmarshal(value, to); err != nil {
		a.bad("%s is %s, and must be a list of texts", at, Shorten(string(value)))
		return
	}
	if len(*to) > most {
		a.bad("%s has %d entries, and %d are allowed", at, len(*to), most)
		*to = nil
	}
	for _, s := range *to {
		if len(s) > maxTitleLen {
			a.bad("%s: an entry has %d bytes, and %d are allowed", at, len(s), maxTitleLen)
		}
		a.checkText(at, s, true)
	}
}
