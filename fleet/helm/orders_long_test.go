//go:build long

package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// TestChangedVerifyInReview has verify.sh emptied while work waits for review: helm neither reviews nor merges by the empty file, blames no
// work, and goes on when the captain puts verify.sh back.
func TestChangedVerifyInReview(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, newHub(t)), "test -e a", 1, gated("1", "echo a >a"))
	v.works(t, "ship-0")
	script, err := os.ReadFile(v.dir.VerifyFile())
	if err == nil {
		err = os.WriteFile(v.dir.VerifyFile(), nil, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	openGates(t, homeOf(t, v, "ship-0"))
	v.tells(t, "nothing is merged", "verify.sh was changed")
	if s := v.state("1"); s.HandIn == nil || s.HandIn.Checked != "" || s.OnHold || s.Rejections > 0 {
		t.Errorf("task 1 is %+v", s)
	}
	if err := os.WriteFile(v.dir.VerifyFile(), script, 0o700); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
}

// TestChangedPrompt has somebody change what ships are given to read: a ship that is fitted out says so, and goes on when it is put back.
func TestChangedPrompt(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{}, "true\n", task("1", "true"))
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(d.Prompt(), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	set("what to do")
	v := openIt(t, startHelm(t, hub), d)
	set("something else")
	told := false
	if err := v.provisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(p api.Progress) {
		if strings.Contains(p.Text, d.Prompt()+" was changed") { // before it is tried again
			told = true
			set("what to do")
		}
	}); err != nil || !told {
		t.Errorf("%v, told: %t", err, told)
	}
	if raw, err := os.ReadFile(filepath.Join(homeOf(t, v, "ship-0"), "voyage", "prompt.md")); err != nil || string(raw) != "what to do" {
		t.Errorf("%s, %v", raw, err)
	}
}
