package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/walls"
)

func checkReachesNoShip(t *testing.T) {
	o := options(t, local.Always)
	if os.Getuid() == 0 {
		dir, err := os.MkdirTemp("/srv", "ships-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		o.Root, o.Runtime = filepath.Join(dir, "ships"), filepath.Join(dir, "run")
	}
	s := newShip(t, o)
	if got := remains(t, s); got != "" {
		t.Errorf("checks reach %q", got)
	}
	providertest.Stranger(t, func(c link.Command) (link.Result, error) { return s.Run(soon(t), c) })
	if got := s.sh("find /tmp -maxdepth 1 -name 'check.*'"); got != "" {
		t.Errorf("checks leave %s", got)
	}
	s.destroy()
}

// remains returns what the ship says that checks can still reach of it.
func remains(t *testing.T, s *ship) string {
	t.Helper()
	c := walls.Remains()
	r, err := s.Run(soon(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(r.Stdout))
}
