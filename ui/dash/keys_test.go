package dash

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/keys"
)

func widthOf(row string) int { return ansi.StringWidth(row) }

// No key means two things in one place, and every key has a name that terminals produce.
func TestKeysDoNotCollide(t *testing.T) {
	for s, gs := range keys.Groups {
		seen := map[string]string{}
		for _, g := range gs {
			for i := range bindings {
				b := &bindings[i]
				if b.In != g {
					continue
				}
				for _, k := range b.Keys {
					if was, ok := seen[k]; ok {
						t.Errorf("%s: %q means %q and %q", s, k, was, b.Help)
					}
					seen[k] = b.Help
					keyNamed(t, k)
				}
			}
		}
	}
	for i := range bindings {
		b := &bindings[i]
		if len(b.Keys) > 0 && b.Help == "" {
			t.Errorf("%v has no help", b.Keys)
		}
		if !slices.Contains(keys.Order, b.In) {
			t.Errorf("group %q is not listed in the help", b.In)
		}
		if b.Do == nil && !slices.Equal(b.Keys, digits()) {
			t.Errorf("%v does nothing", b.Keys)
		}
		if len(b.Keys) == 0 && b.Name == "" {
			t.Errorf("an action has neither key nor name")
		}
	}
}

// The table of keys in help is the table in the code.
func TestHelpHasTheKeys(t *testing.T) {
	const path = "../cli/help/keys.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(raw), "|")
	want := head + KeyTable() + "\n"
	if want == string(raw) {
		return
	}
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the keys in help are not those in the code; write them with: go test ./ui/dash -update")
}
