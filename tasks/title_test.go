package tasks

import (
	"strings"
	"testing"
)

// TestTitle makes titles from what captains ask for.
func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"add login":                            "add login",
		"  add login\nwith sessions":           "add login…",
		"# Open a shop\n\nSell things.":        "Open a shop…",
		"### Open a shop ###":                  "Open a shop",
		"#42 is wrong":                         "#42 is wrong",
		"C# and F#":                            "C# and F#",
		"make it **fast** and `small`":         "make it fast and small",
		"**make it *very* fast**":              "make it very fast",
		"use ``a`` in *this* case, ~~not~~":    "use a in this case, not",
		"fix `__init__` and `**kwargs`":        "fix __init__ and **kwargs",
		"fix __init__.py and snake_case_name":  "fix __init__.py and snake_case_name",
		"format *.go, a/**/b/**/c and **/*.s":  "format *.go, a/**/b/**/c and **/*.s",
		"2 * 3 * 4 and 2*3*4":                  "2 * 3 * 4 and 2*3*4",
		"- [ ] see [the issue](https://a.b/c)": "see the issue",
		"> * quoted":                           "quoted",
		"-v is ignored":                        "-v is ignored",
		"an `unclosed one and **another":       "an `unclosed one and **another",
		"# **日本語** で書く":                        "日本語 で書く",
		"#":                                    "#",
		"****":                                 "****",
		"```":                                  "```",
		"# " + strings.Repeat("x", maxTitle):   strings.Repeat("x", maxTitle),
		strings.Repeat("é", maxTitle+1):        strings.Repeat("é", maxTitle-1) + "…",
	} {
		if got := titleOf(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}
