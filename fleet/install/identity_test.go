package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
)

// An install's id shows the captain which of his laptops it is, and can be a part of a machine's name.
func TestInstall(t *testing.T) {
	t.Parallel()
	for host, first := range map[string]string{
		"Mac-Book-Pro.local": "macbookp", "kite": "kite", "ÄÖ-7": "7", "": "", "...": "",
	} {
		a, b := newID(host), newID(host)
		if !strings.HasPrefix(a, first) || !validID().MatchString(a) || a == b {
			t.Errorf("%q: %s, %s", host, a, b)
		}
	}
	hub := fleet.Hub{State: t.TempDir()}
	var both gosync.WaitGroup
	ids := make([]string, 20)
	for i := range ids {
		both.Go(func() { ids[i], _ = ID(hub) })
	}
	both.Wait()
	if all := slices.Compact(ids); len(all) > 1 || all[0] == "" {
		t.Errorf("one install has the ids %q", all)
	}
	id, err := ID(hub)
	if again, err := ID(hub); err != nil || again != id {
		t.Errorf("%s, then %s: %v", id, again, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hub.State, "install"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := ID(hub); err == nil || !strings.Contains(err.Error(), "install is damaged") {
		t.Errorf("a damaged id became %s: %v", id, err)
	}
}
