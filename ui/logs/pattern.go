package logs

import (
	"regexp"
	"strings"
	"unicode"
)

// Pattern is a search pattern for a log. Make one with Search; the zero value is not usable.
type Pattern struct {
	text    string
	re      *regexp.Regexp
	inverse bool
	fold    bool
	needs   [][]byte // every match contains one of these, in any case; empty when unknown
	literal bool     // needs holds the whole pattern
}

// Search compiles a regular expression. With a leading "!" it matches the lines that the expression
// does not. An expression without capital letters ignores case.
func Search(text string) (*Pattern, error) {
	p := &Pattern{text: text}
	expr, inverse := strings.CutPrefix(text, "!")
	p.inverse = inverse
	p.fold = !capitals(expr)
	re := expr
	if p.fold {
		re = "(?i)" + expr
	}
	var err error
	if p.re, err = regexp.Compile(re); err != nil {
		return nil, err
	}
	p.needs = required(re)
	p.literal = len(p.needs) == 1 && string(p.needs[0]) == expr && regexp.QuoteMeta(expr) == expr
	return p, nil
}

// capitals reports whether an expression searches for a capital letter; the letter of a class such
// as \W does not count.
func capitals(expr string) bool {
	escaped := false
	for _, r := range expr {
		if unicode.IsUpper(r) && !escaped {
			return true
		}
		escaped = r == '\\' && !escaped
	}
	return false
}

// String returns the pattern as typed.
func (p *Pattern) String() string { return p.text }

// Match reports whether a line matches.
func (p *Pattern) Match(said string) bool { return p.matchBytes([]byte(said)) }

func (p *Pattern) matchBytes(said []byte) bool {
	return p.matchExpression(said) != p.inverse
}

// matchExpression first looks for plain text, which is many times faster than the regular
// expression.
func (p *Pattern) matchExpression(said []byte) bool {
	if len(p.needs) == 0 || !isASCII(said) { // folding case may turn other letters into ASCII
		return p.re.Match(said)
	}
	for _, word := range p.needs {
		if containsFold(said, word) {
			return p.literal && p.fold || p.re.Match(said)
		}
	}
	return false
}

// FindAllIndex returns where a text matches, for highlighting; nil for a negated pattern.
func (p *Pattern) FindAllIndex(text string) [][]int {
	if p.inverse {
		return nil
	}
	var hits [][]int
	for _, hit := range p.re.FindAllStringIndex(text, -1) {
		if hit[0] < hit[1] {
			hits = append(hits, hit)
		}
	}
	return hits
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// containsFold reports whether s contains the ASCII word in any case; word is in lower case.
func containsFold(s, word []byte) bool {
	first := word[0]
	upper := first
	if 'a' <= first && first <= 'z' {
		upper -= 'a' - 'A'
	}
	for i := 0; i+len(word) <= len(s); i++ {
		if c := s[i]; c != first && c != upper {
			continue
		}
		if equalFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func equalFold(s, word []byte) bool {
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
