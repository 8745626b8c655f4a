package lacks

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ocaptain/fleet/helm/notes/notestest"
)

// machine has a program in the directories of its name.
type machine map[string][]string

func (m machine) Unshown(program string) ([]string, error) {
	if program == "broken" {
		return []string{"/opt"}, errors.New("the PATH cannot be read")
	}
	return m[program], nil
}

// TestLook reads what shells say of programs that they do not find. The captain hears once of each program that he has.
func TestLook(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"/bin/sh: 1: frobnicate: not found":                          {"frobnicate"},
		"bash: line 1: frobnicate: command not found\n":              {"frobnicate"},
		"zsh: command not found: frobnicate":                         {"frobnicate"},
		"one\nsh: frobnicate: not found\nsh: g++-14: not found\ntwo": {"frobnicate", "g++-14"},
		"sh: frobnicate: not found\nsh: frobnicate: not found":       {"frobnicate"},
		"sh: nobodys: not found":                                     nil,
		"sh: broken: not found":                                      nil,
		"the page frobnicate: not found here":                        nil,
		"frobnicate":                                                 nil,
	} {
		v := notestest.New(t)
		l := New(Options{Here: machine{"frobnicate": {"/opt/f", "/usr/lib/f"}, "g++-14": {"/opt/g"}}, Config: "/c.yaml", Notes: v.Notes, Go: func(f func()) { f() }})
		for range 2 {
			l.Look("ship-0", said)
		}
		var told []string
		for _, program := range want {
			dirs := map[string]string{"frobnicate": "/opt/f and /usr/lib/f", "g++-14": "/opt/g"}[program]
			told = append(told, "it does not see "+program+", which you have: local.bind with "+dirs+" in /c.yaml shows it to ships made from then on")
		}
		if got := v.Told(); !slices.Equal(got, told) {
			t.Errorf("%q: told %q", said, got)
		}
	}
}

// TestMost bounds how many programs ships have looked for, and looks for none where ships see the whole machine.
func TestMost(t *testing.T) {
	t.Parallel()
	looked := 0
	l := New(Options{Here: machine{}, Go: func(func()) { looked++ }})
	for n := range 2 * most {
		l.Look("ship-0", fmt.Sprintf("sh: program%d: not found", n))
	}
	if looked != most {
		t.Errorf("%d programs are looked for", looked)
	}
	New(Options{Go: func(func()) { t.Error("a program is looked for") }}).Look("ship-0", "sh: one: not found")
}
