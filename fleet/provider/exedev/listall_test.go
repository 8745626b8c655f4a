package exedev_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// TestListAll finds machines of this install without a record, machines of other installs and machines without an
// install's id, and destroys only the machine that it names.
func TestListAll(t *testing.T) {
	s := newStage(t, exedevtest.Config{TellUser: true})
	p := s.provider()
	key := string(ssh.MarshalAuthorizedKey(s.signer.PublicKey()))
	own := map[string]string{provider.Install: "i1", "voyage": "voyage-0123456789ab"}
	for _, name := range []string{"voyage-0123456789ab-ship0", "voyage-0123456789ab-ship1"} {
		if _, err := p.Create(t.Context(), provider.Spec{Name: name, Labels: own, AuthorizedKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"voyage-0123456789ab-ship0-oci2", "voyage-ba9876543210-ship0", "mail"} {
		if err := s.fake.Foreign(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(s.options.Dir, "voyage-0123456789ab-ship1.json")); err != nil { // as if an old backup had been restored
		t.Fatal(err)
	}
	found, err := p.ListAll(t.Context(), "voyage-")
	if err != nil || len(found) != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	var got []string
	for _, m := range found {
		got = append(got, m.Name+" of "+m.Labels[provider.Install])
	}
	want := []string{"voyage-0123456789ab-ship0 of i1", "voyage-0123456789ab-ship0-oci2 of i2", "voyage-0123456789ab-ship1 of i1", "voyage-ba9876543210-ship0 of "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	left := func() string {
		names := s.fake.Machines()
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for i, want := range []string{
		"mail voyage-0123456789ab-ship0-oci2 voyage-0123456789ab-ship1-oci1 voyage-ba9876543210-ship0",
		"mail voyage-0123456789ab-ship1-oci1 voyage-ba9876543210-ship0",
		"mail voyage-ba9876543210-ship0",
		"mail",
	} {
		if err := p.DestroyListed(t.Context(), found[i]); err != nil {
			t.Error(err)
		}
		if err := p.DestroyListed(t.Context(), found[i]); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("one that is gone: %v", err)
		}
		if got := left(); got != want {
			t.Errorf("after %s: %s", found[i].Name, got)
		}
	}
}
