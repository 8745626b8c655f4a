//go:build long

package hosts_test

import (
	"context"
	"path/filepath"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

func TestFewestFirst(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay, mole := p.start("quay", nil), p.start("mole", nil)
	all := []string{"quay*3", "mole*1"}
	p.options.Hosts = func() ([]string, error) { return all, nil }
	for i, want := range []*hoststest.Host{quay, mole, quay, quay} {
		m := p.create("ship-" + string(rune('0'+i)))
		if p.host(m) != want {
			t.Errorf("%s is at %s", m.Name, m.ID)
		}
	}
	if room, bounded, err := p.provider().FreeShips(); room != 0 || !bounded || err != nil {
		t.Errorf("room for %d more, %v, %v", room, bounded, err)
	}
	p.refused("all hosts have as many ships as they may (4)")
	// A host that is no longer configured keeps its ships.
	all = all[:1]
	if found, err := p.provider().List(soon(t), nil); err != nil || len(found) != 4 {
		t.Errorf("%v, %v", found, err)
	}
	// When the last ship of a host is destroyed, nothing is left on the host. With an earlier one, the program stays.
	for i, name := range []string{"ship-0", "ship-2", "ship-3"} {
		p.away(soon(t), name)
		left, _ := filepath.Glob(filepath.Join(quay.Home, ".local", "share", "ocaptain", "*"))
		if (len(left) == 0) != (i == 2) {
			t.Errorf("after %s there is %v", name, left)
		}
	}
}

// A Create whose connection breaks, at any point, can be repeated.
func TestCutInTheMiddle(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", nil)
	t.Cleanup(func() {
		p.away(context.Background(), "ship-0")
	})
	spec := newSpec(t, "ship-0")
	for _, moment := range []string{".bin/.put.*", ".bin/ocaptain-*", "ship-0", "ship-0/machine.json", "ship-0/sshd.log"} {
		done := make(chan error, 1)
		go func() {
			_, err := p.provider().Create(soon(t), spec)
			done <- err
		}()
		eventually.Holds(t, moment, func() bool {
			there, _ := filepath.Glob(filepath.Join(quay.Ships(), moment))
			return len(there) > 0 || len(done) > 0
		})
		quay.Cut()
		err := <-done
		t.Logf("cut at %s: %v", moment, err)
		m, err := p.provider().Create(soon(t), spec)
		if err != nil || m.State != provider.Running {
			t.Fatalf("cut at %s: then %+v, %v", moment, m, err)
		}
		if rest, _ := filepath.Glob(filepath.Join(quay.Ships(), ".bin", ".put.*")); len(rest) > 0 {
			t.Errorf("cut at %s: left %s", moment, rest)
		}
		p.away(soon(t), "ship-0")
	}
}
