package exedev_test

import (
	"errors"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/providertest"
)

// An account without machines works, in whatever way the lobby says that there are none.
func TestNoMachines(t *testing.T) {
	for name, nothing := range map[string]exedevtest.Nothing{"null": exedevtest.Null, "words": exedevtest.Words} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, exedevtest.Config{Nothing: nothing, TellUser: true})
			p := s.provider()
			if a, err := p.Account(soon(t)); err != nil || a.Machines != 0 {
				t.Errorf("the account: %v, %v", a, err)
			}
			if all, err := p.ListAll(soon(t), ""); err != nil || len(all) > 0 {
				t.Errorf("all there are: %v, %v", all, err)
			}
			if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
				t.Fatal(err)
			}
			s.fake.Vanish("ship-0-oci1")
			if _, err := p.Get(soon(t), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
				t.Errorf("one that was removed by other hands: %v", err)
			}
			if all, err := p.List(soon(t), labels); err != nil || len(all) > 0 {
				t.Errorf("listed: %v, %v", all, err)
			}
			if err := p.Destroy(soon(t), "ship-0"); !errors.Is(err, provider.ErrNotFound) || s.said("rm") > 0 {
				t.Errorf("%v, rm was said %d times", err, s.said("rm"))
			}
			if err := p.Forget(soon(t), "ship-0"); err != nil {
				t.Error(err)
			}
			if left := s.leftovers(provider.Machine{Name: "ship-0"}); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// An answer that is not a list says nothing about which machines exist.
func TestNoList(t *testing.T) {
	for name, fault := range map[string]exedevtest.Fault{"an error": exedevtest.Failing, "bare": exedevtest.Bare, "silence": exedevtest.Silent} {
		for _, way := range []string{"SSH", "HTTPS"} {
			t.Run(name+" by "+way, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, exedevtest.Config{TellUser: true})
				if way == "HTTPS" {
					all := s.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
					s.options.Token = func() string { return all }
				}
				p := s.provider()
				if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
					t.Fatal(err)
				}
				for range 20 {
					s.fake.Misbehave("ls", fault)
				}
				providertest.SaysNothing(t, p, "ship-0")
				s.fake.Forgive()
				s.fake.Misbehave("rm", fault)
				if err := p.Destroy(soon(t), "ship-0"); err != nil || len(s.fake.Machines()) > 0 {
					t.Errorf("%v, left are %q", err, s.fake.Machines())
				}
			})
		}
	}
}
