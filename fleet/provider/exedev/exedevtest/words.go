package exedevtest

import (
	"errors"
	"strings"
)

// split splits a line into words as a shell does, with both kinds of quotes and backslashes.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if open || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("unbalanced quotes")
	}
	if open || word.Len() > 0 {
		words = append(words, word.String())
	}
	return words, nil
}

// flags separates words of the form --name=value from the rest.
func flags(words []string) (map[string]string, []string) {
	given := map[string]string{}
	var rest []string
	for _, w := range words {
		name, ok := strings.CutPrefix(w, "--")
		if !ok {
			rest = append(rest, w)
			continue
		}
		name, value, _ := strings.Cut(name, "=")
		given[name] = value
	}
	return given, rest
}
