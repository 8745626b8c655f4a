package planfile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestObjective(t *testing.T) {
	for spec, want := range map[string]string{
		"# Todo Specification\n\n## Objective\n\nMake a list\nof things.\n\nNot this.\n": "Make a list of things.",

		"# Todo Specification\n\ntext\n":                       "Todo",
		"# Todo ##\n## Objective\n## Scope\ntext\n":            "Todo",
		"## OBJECTIVE:\r\n\r\nWith returns.\r\n":               "With returns.",
		"## Objective\n### Why\nBecause.\n## Scope\nx\n":       "Because.",
		"```\n# not this\n## Objective\nnor this\n```\n# This": "This",
		"#hashtag\n":           "",
		"text\n## Scope\ntext": "",
		"":                     "",
		"## Objective\n\n" + strings.Repeat("word ", 200): strings.TrimSpace(strings.Repeat("word ", 99)) + "…",
		"## Objective\n\n" + strings.Repeat("ä", 600):     strings.Repeat("ä", 499) + "…",
	} {
		got := Objective(spec)
		if got != want {
			t.Errorf("%q: %q, want %q", spec, got, want)
		}
		if n := utf8.RuneCountInString(got); n > 500 {
			t.Errorf("%q: %d characters", spec, n)
		}
	}
}
