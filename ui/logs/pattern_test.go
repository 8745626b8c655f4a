package logs

import (
	"regexp"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, said string
		want          bool
	}{
		{"panic", "a Panic here", true},
		{"Panic", "a panic here", false},
		{"Panic", "a Panic here", true},
		{"!panic", "a Panic here", false},
		{"!panic", "nothing", true},
		{`\Wfoo`, "a FOO", true}, // \W is a class
		{"error|conflict", "a Conflict", true},
		{"error|conflict", "peace", false},
		{"grün", "GRÜN", true},
		{"k", "\u212a", true}, // Kelvin
		{"Foo(?i)bar", "FooBAR", true},
		{"a+b", "xaaab", true},
		{"[turn 3]", "x", false},
		{"", "anything", true},
	} {
		p, err := Search(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match(tt.said); got != tt.want {
			t.Errorf("%q in %q: %v", tt.pattern, tt.said, got)
		}
	}
	if _, err := Search("!("); err == nil {
		t.Error("( is an expression")
	}
	p, _ := Search("o*")
	if hits := p.FindAllIndex("foo bar"); len(hits) != 1 || hits[0][0] != 1 || hits[0][1] != 3 {
		t.Errorf("hits at %v", hits)
	}
	if p, _ := Search("!o"); p.FindAllIndex("foo") != nil {
		t.Error("an inverse pattern has hits")
	}
}

// The fast paths find what the expression finds.
func FuzzPattern(f *testing.F) {
	for _, s := range [][2]string{
		{"panic", "PANIC"},
		{"a|b", "xB"},
		{"(ab)+c", "ABABC"},
		{"k", "\u212a"},
		{"s", "ſ"},
		{"x{0}y", "y"},
		{"(?:ab){2}", "abab"},
		{"A(?i)b", "AB"},
		{"(?-i)b", "B"},
		{"\\Qa.b\\E", "A.B"},
		{"[ab]c", "bC"},
		{"é", "É"},
		{"(?s).b$", "\nB"},
		{"a?b", "B"},
		{"(|a)b", "b"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, said string) {
		p, err := Search(pattern)
		if err != nil {
			return
		}
		expr := pattern
		if p.inverse {
			expr = expr[1:]
		}
		if p.fold {
			expr = "(?i)" + expr
		}
		if want := regexp.MustCompile(expr).MatchString(said) != p.inverse; p.Match(said) != want {
			t.Fatalf("%q in %q: %v, needs %q", pattern, said, !want, p.needs)
		}
	})
}
