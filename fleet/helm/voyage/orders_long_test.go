//go:build long

package voyage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks/eventually"
)

// TestChangedVerifyInReview has verify.sh emptied while work waits for review: helm neither reviews nor merges by the empty file, blames no
// work, and goes on when the captain puts verify.sh back.
func TestChangedVerifyInReview(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "test -e a", 1, gated("1", "echo a >a"))
	v.works(t, "ship-0")
	script, err := os.ReadFile(v.Dir.VerifyFile())
	if err == nil {
		err = os.WriteFile(v.Dir.VerifyFile(), nil, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	openGates(t, homeOf(t, v, "ship-0"))
	v.tells(t, "nothing is merged", "verify.sh was changed")
	if s := v.state("1"); s.HandIn == nil || s.HandIn.Checked != "" || s.OnHold || s.Rejections > 0 {
		t.Errorf("task 1 is %+v", s)
	}
	if err := os.WriteFile(v.Dir.VerifyFile(), script, 0o700); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
}

// TestChangedPrompt has somebody change what ships are given to read: a ship that is fitted out says so, and goes on when it is put back.
func TestChangedPrompt(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "true\n", helmtest.Task("1", "true"))
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
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(p api.Progress) {
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

// TestChangedVerify has somebody empty, remove and change verify.sh: it is never run as it is until the captain agrees, and put back it is run.
func TestChangedVerify(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "test -e one\n", gated("1", "echo 1 >one"))
	if err := os.WriteFile(d.SpecFile(), []byte("what it is"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(d.VerifyFile(), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(why string) {
		t.Helper()
		err := v.Verifier.Now(t.Context(), api.VerifyRequest{}, nil)
		if err == nil || !strings.Contains(err.Error(), d.VerifyFile()+" "+why) || !strings.Contains(err.Error(), "ocaptain verify --accept "+d.ID()) {
			t.Errorf("verify: %v", err)
		}
	}
	set("")
	openGates(t, homeOf(t, v, "ship-0"))
	eventually.Holds(t, "it cannot be verified", func() bool {
		b := v.Board()
		return strings.Contains(b.Unverified.Why, "was changed")
	})
	board := v.Board()
	cure := func(n need.Need) bool {
		return n.Kind == fleet.NeedUnverified && n.Command == "ocaptain verify --accept "+d.ID()
	}
	if all := need.All(time.Now().Add(time.Hour), &board, need.Away{}); !slices.ContainsFunc(all, cure) {
		t.Errorf("the needs are %+v", all)
	}
	refused("was changed")
	if v.Board().Verify.Passed {
		t.Error("it passed")
	}
	h.Close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	refused("was changed")
	if err := os.Remove(d.VerifyFile()); err != nil {
		t.Fatal(err)
	}
	refused("is gone")
	if err := v.Verifier.Now(t.Context(), api.VerifyRequest{Accept: true}, nil); err == nil {
		t.Error("a verify.sh that is gone was accepted")
	}
	set("test -e one\n")
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	set("test ! -e one\n")
	refused("was changed")
	if err := v.Verifier.Now(t.Context(), api.VerifyRequest{Accept: true}, nil); err == nil || !strings.Contains(err.Error(), "verify.sh failed") {
		t.Errorf("what the captain agreed to: %v", err)
	}
	set("test -e one\n")
	if err := os.Remove(d.SpecFile()); err != nil {
		t.Fatal(err)
	}
	if err := v.Verifier.Now(t.Context(), api.VerifyRequest{Accept: true}, nil); err != nil {
		t.Error(err)
	}
	v.tells(t, "artifacts/spec.md is not used any more")
	v.tells(t, "artifacts/verify.sh is used as the captain has changed it")
}
