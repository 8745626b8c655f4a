package discoveries

import (
	"strings"
	"testing"

	"ocaptain/fleet/clean/cleantest"
)

func TestNoteOf(t *testing.T) {
	if got := noteOf(nil); got != nil {
		t.Errorf("of nothing: %q", got)
	}
	got := noteOf([]Discovery{{File: "a" + cleantest.Hostile, Type: "gotcha", Text: cleantest.Hostile}, {File: "b", Type: "pattern", Text: strings.Repeat("long ", 1000)}})
	if len(got) != 1 || len(strings.Split(got[0], "\n")) != 3 || len(got[0]) > 2000 {
		t.Errorf("%q", got)
	}
	cleantest.Check(t, "note", got[0], cleantest.Texts)
}
