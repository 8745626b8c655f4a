package discoveries

import (
	"slices"
	"strings"
	"unicode"
)

// alike is from which share of common words on two discoveries say the same.
const alike = 0.8

// merge leaves out a discovery that an earlier one nearly repeats, and names its file there.
func merge(all []Discovery) []Discovery {
	var kept []Discovery
	var words [][]string
next:
	for _, d := range all {
		has := wordsOf(d.Text)
		for i := range kept {
			if kept[i].Type == d.Type && similarity(words[i], has) >= alike {
				kept[i].Same = append(kept[i].Same, d.File)
				continue next
			}
		}
		kept, words = append(kept, d), append(words, has)
	}
	return kept
}

// wordsOf is the set of words of a text, in order.
func wordsOf(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	slices.Sort(all)
	return slices.Compact(all)
}

// similarity is the share of words that two sets have in common (Jaccard): both are in order.
func similarity(a, b []string) float64 {
	if least, most := min(len(a), len(b)), max(len(a), len(b)); most == 0 || float64(least) < alike*float64(most) {
		return 0 // they have too little in common
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
