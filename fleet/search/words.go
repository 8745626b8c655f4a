package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word, in bytes; what is longer is data and no name.
const maxWord = 64

// identifiers calls yield for each run of letters, digits and underscores in a text.
func identifiers(text string, yield func(string)) {
	from := -1
	for i := 0; i < len(text); i++ {
		if isWordByte(text[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			yield(text[from:i])
			from = -1
		}
	}
	if from >= 0 {
		yield(text[from:])
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// parts splits an identifier at underscores, and where the case or kind of its characters changes: readHTTPHeader2
// becomes read, HTTP, Header and 2.
func parts(identifier string) []string {
	var all []string
	rest := identifier
	for rest != "" {
		if rest[0] == '_' {
			rest = rest[1:]
			continue
		}
		n := partLen(rest)
		all = append(all, rest[:n])
		rest = rest[n:]
	}
	return all
}

// class is the class of a character; parts of an identifier are runs of certain classes.
type class int

const (
	lower class = iota
	upper
	digit
	other
)

func classOf(r rune) class {
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsDigit(r):
		return digit
	case r == '_':
		return other
	}
	return lower
}

// partLen returns the length of the first part of an identifier.
func partLen(s string) int {
	first, n := utf8.DecodeRuneInString(s)
	was, last := classOf(first), 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		is := classOf(r)
		switch {
		case is == was:
		case was == upper && is == lower && last == 0: // the part Header
		case was == upper && is == lower: // in HTTPHeader, the second H begins a part
			return last
		default:
			return n
		}
		if is != was {
			was = is
		} else if was == upper {
			last = n
		}
		n += size
	}
	return n
}

// stem removes common endings from an English word in lower case, so that "parses", "parsed" and "parsing" are the
// same.
func stem(w string) string {
	if len(w) < 4 {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "i"
	case strings.HasSuffix(w, "sses"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, end := range []string{"ization", "ation", "ating", "ated", "ator", "tion", "ing", "ed", "er", "ion"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			w = base
			if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsAny(w[n-1:], "lsz") {
				w = w[:n-1]
			}
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	if n := len(w); n > 2 && w[n-1] == 'y' {
		w = w[:n-1] + "i"
	}
	return w
}

// stopWords are words that say nothing about what code does.
var stopWords = setOf(`a an and any are as at be been but by can case do does each else for from has have if in into is it its
may must no nor not of on one only or other our out over own same should so some such than that the their them then there
these they this those to up upon use used uses using via was we were when where whether which while will with within would you your`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// dictionary numbers the terms of an index.
type dictionary struct {
	words map[string]uint32 // by word in lower case
	terms map[string]uint32 // by stem
}

func newDictionary() dictionary {
	return dictionary{words: map[string]uint32{}, terms: map[string]uint32{}}
}

// none is the number for words that are not in the index.
const none = ^uint32(0)

// number returns the number of a word's term. If no term fits, it makes a new one if learn is set.
func (d *dictionary) number(word string, learn bool) uint32 {
	if len(word) > maxWord {
		return none
	}
	if n, ok := d.words[word]; ok {
		return n
	}
	low := strings.ToLower(word)
	s := stem(low)
	n, ok := d.terms[s]
	if !ok {
		if !learn {
			return none
		}
		n = uint32(len(d.terms))
		d.terms[strings.Clone(s)] = n
	}
	if learn {
		d.words[strings.Clone(word)] = n
	}
	return n
}

// each calls yield for each term in a text: the parts of its identifiers, and each whole identifier that has several parts.
func (d *dictionary) each(text string, learn bool, yield func(term uint32, whole bool)) {
	identifiers(text, func(id string) {
		all := parts(id)
		for _, p := range all {
			if len(p) < 2 || stopWords[p] {
				continue
			}
			if n := d.number(p, learn); n != none {
				yield(n, false)
			}
		}
		if len(all) > 1 {
			if n := d.number(strings.ToLower(strings.ReplaceAll(id, "_", "")), learn); n != none {
				yield(n, true)
			}
		}
	})
}
