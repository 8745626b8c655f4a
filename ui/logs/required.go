package logs

import (
	"regexp/syntax"
	"strings"
)

// maxNeeds bounds how many words to look for.
const maxNeeds = 16

// required returns words in lower-case ASCII. Every ASCII text that matches expr contains one of
// them, in any case. It returns none if it finds none.
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
	case syntax.OpConcat: // the part with the longest shortest word
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
