package hosts_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts/hoststest"
)

// TestListAll lists the ships of all captains on a host, tells them apart, and names the host that does not answer.
// DestroyListed destroys a listed ship even if there is no record of it.
func TestListAll(t *testing.T) {
	p := newPort(t)
	p.start("quay", nil)
	ada := p.provider()
	p.options.State += "-of-bob"
	bob := p.provider()
	key := string(ssh.MarshalAuthorizedKey(hoststest.NewKey(t, filepath.Join(t.TempDir(), "key"), "")))
	for install, from := range map[string]provider.Provider{"i1": ada, "i2": bob} {
		spec := provider.Spec{Name: "voyage-0123456789ab-ship" + install[1:], Labels: map[string]string{provider.Install: install}, AuthorizedKey: key}
		if _, err := from.Create(soon(t), spec); err != nil {
			t.Fatal(err)
		}
	}
	found, err := ada.ListAll(soon(t), "voyage-")
	if err != nil || len(found) != 2 || found[0].Labels[provider.Install]+found[1].Labels[provider.Install] != "i1i2" && found[0].Labels[provider.Install]+found[1].Labels[provider.Install] != "i2i1" {
		t.Fatalf("%+v, %v", found, err)
	}
	changed := found[0]
	changed.Labels = map[string]string{provider.Install: "i3"}
	if err := ada.DestroyListed(soon(t), changed); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("one with other labels: %v", err)
	}
	for _, m := range found { // as the captain who has a record of only one of them
		if err := ada.DestroyListed(soon(t), m); err != nil {
			t.Error(err)
		}
		if err := ada.DestroyListed(soon(t), m); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("one that is gone: %v", err)
		}
	}
	if left, err := ada.ListAll(soon(t), "voyage-"); err != nil || len(left) > 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
	p.host(found[0]).Halt()
	if _, err := ada.ListAll(soon(t), "voyage-"); err == nil || !strings.Contains(err.Error(), "quay") {
		t.Errorf("a host that is down: %v", err)
	}
}
