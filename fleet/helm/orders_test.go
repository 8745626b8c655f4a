package helm

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// TestChangedVerify has somebody empty, remove and change verify.sh: it is never run as it is until the captain agrees, and put back it is run.
func TestChangedVerify(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "test -e one\n", gated("1", "echo 1 >one"))
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
		err := v.verifyNow(t.Context(), api.VerifyRequest{}, nil)
		if err == nil || !strings.Contains(err.Error(), d.VerifyFile()+" "+why) || !strings.Contains(err.Error(), "ocaptain verify --accept "+d.ID()) {
			t.Errorf("verify: %v", err)
		}
	}
	set("")
	openGates(t, homeOf(t, v, "ship-0"))
	eventually.Holds(t, "it cannot be verified", func() bool {
		b := v.currentBoard()
		return strings.Contains(b.Unverified.Why, "was changed")
	})
	board := v.currentBoard()
	cure := func(n fleet.Need) bool {
		return n.Kind == fleet.NeedUnverified && n.Command == "ocaptain verify --accept "+d.ID()
	}
	if all := fleet.Needs(time.Now().Add(time.Hour), &board, fleet.Away{}); !slices.ContainsFunc(all, cure) {
		t.Errorf("the needs are %+v", all)
	}
	refused("was changed")
	if v.currentBoard().Verify.Passed {
		t.Error("it passed")
	}
	h.close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	refused("was changed")
	if err := os.Remove(d.VerifyFile()); err != nil {
		t.Fatal(err)
	}
	refused("is gone")
	if err := v.verifyNow(t.Context(), api.VerifyRequest{Accept: true}, nil); err == nil {
		t.Error("a verify.sh that is gone was accepted")
	}
	set("test -e one\n")
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	set("test ! -e one\n")
	refused("was changed")
	if err := v.verifyNow(t.Context(), api.VerifyRequest{Accept: true}, nil); err == nil || !strings.Contains(err.Error(), "verify.sh failed") {
		t.Errorf("what the captain agreed to: %v", err)
	}
	set("test -e one\n")
	if err := os.Remove(d.SpecFile()); err != nil {
		t.Fatal(err)
	}
	if err := v.verifyNow(t.Context(), api.VerifyRequest{Accept: true}, nil); err != nil {
		t.Error(err)
	}
	v.tells(t, "artifacts/spec.md is not used any more")
	v.tells(t, "artifacts/verify.sh is used as the captain has changed it")
}

// TestSecretsCopy has the agents' secrets emptied and removed while helm is down.
func TestSecretsCopy(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{}, "true\n", task("1", "true"))
	h := startHelm(t, hub)
	if err := openIt(t, h, d).keepSecrets(secrets{Secrets: map[string]string{"KEY": "v"}}); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []func() error{
		func() error { return os.WriteFile(d.Secrets(), nil, 0o600) },
		func() error { return os.Remove(d.Secrets()) },
	} {
		h.close()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		h = startHelm(t, hub)
		v := openIt(t, h, d)
		if s, err := v.loadSecrets(); err != nil || s.Secrets["KEY"] != "v" {
			t.Errorf("%v, %v", s, err)
		}
		if info, err := os.Stat(d.Secrets()); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		v.tells(t, "secrets.json was damaged or gone")
	}
	if err := openIt(t, h, d).sink(t.Context(), func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	for _, path := range []string{d.Secrets(), d.SecretsCopy()} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}
