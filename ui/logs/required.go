package logs

import (
	"regexp/syntax"
	"strings"
)

// maxNeeds bounds how many words are looked for.
const maxNeeds = 16

// required returns words of ASCII in small letters, one of which is, in any case, in every
// text of ASCII that matches an expression. It is empty when there are none.
func required(expr string) [][]byte {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	words := requiredWords(re.Simplify())
	if len(words) > maxNeeds {
		return nil
	}
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

func requiredWords(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		word := strings.ToLower(string(re.Rune))
		if !isASCII([]byte(word)) {
			return nil
		}
		return []string{word}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredWords(re.Sub[0])
	case syntax.OpConcat: // the part whose shortest word is longest
		var best []string
		for _, sub := range re.Sub {
			if words := requiredWords(sub); len(words) > 0 && (best == nil || shortest(words) > shortest(best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := requiredWords(sub)
			if len(words) == 0 {
				return nil
			}
			all = append(all, words...)
		}
		return all
	}
	return nil
}

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
}
