package discoveries

import (
	"slices"
	"strings"
	"unicode"
)

// alike is the share of common words at which two discoveries count as saying the same.
const alike = 0.8

// merge removes discoveries that an earlier one nearly repeats, and lists their files in the earlier one.
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

// wordsOf returns the different words of a text, sorted.
func wordsOf(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	slices.Sort(all)
	return slices.Compact(all)
}

// similarity returns the share of words that two sorted sets have in common (Jaccard).
func similarity(a, b []string) float64 {
	if least, most := min(len(a), len(b)), max(len(a), len(b)); most == 0 || float64(least) < alike*float64(most) {
		return 0 // their sizes differ too much
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
