//go:build long

package voyages

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

// TestSweep removes the directories of voyages by hand, at each provider that costs and here: their machines
// are found by the next helm, their work is brought home, and they are destroyed at the captain's word.
// What other voyages and other installs have stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	far, exe := helmtest.Sprites(t), helmtest.Exe(t)
	helmtest.AtSprites(t, far, hub)
	helmtest.AtExe(t, exe, hub)
	const strange = "voyage-ffffffffffff-ship0"
	far.Add(strange, "ocaptain:0123456789ab", "voyage:voyage-ffffffffffff")
	far.Add("voyage-eeeeeeeeeeee-ship3")
	far.Add("of-nobody")

	first := newSet(t, hub)
	kept := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n")
	sail(t, first, kept)
	var gone []fleet.Dir
	var want []string
	for _, at := range []string{"local", "sprites", "exedev"} {
		d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: at}, "#!/bin/sh\n", helmtest.Task("1", "echo precious >precious; touch ~/begun; exec sleep 600"))
		sail(t, first, d)
		gone = append(gone, d)
		want = append(want, at+"/"+d.ID()+"-ship0")
	}
	for _, d := range gone {
		v := openIt(t, first, d)
		eventually.Holds(t, "something to lose", func() bool { return v.Board().Ships[0].Unmerged.Changed > 0 })
	}
	slices.Sort(want)
	if got := find(t, first); len(got.Orphans) > 0 || len(got.Unasked) > 0 || !slices.Equal(namesOf(got.Others), []string{"sprites/voyage-eeeeeeeeeeee-ship3", "sprites/" + strange}) {
		t.Errorf("while all have their voyages: %+v", got)
	}
	first.Close()
	for _, d := range gone {
		if err := os.RemoveAll(string(d)); err != nil {
			t.Fatal(err)
		}
	}

	h := newSet(t, hub)
	sinkAfter(t, h, kept)
	h.takeUp()
	h.Sweeper.Look()
	if got := namesOf(known(t, h)); !slices.Equal(got, want) {
		t.Errorf("helm knows of %q, want %q", got, want)
	}
	v := openIt(t, h, kept)
	if notes := v.Board().Notes; len(notes) == 0 || !strings.Contains(notes[len(notes)-1].Text, "3 machines that no voyage has") {
		t.Errorf("the captain was told %+v", notes)
	}
	found := find(t, h)
	if got := namesOf(found.Orphans); !slices.Equal(got, want) {
		t.Errorf("orphans: %q", got)
	}
	for _, o := range found.Orphans {
		if !o.Seen || o.Created.IsZero() || o.Install != h.Install || o.Why != "the directory of its voyage is gone" {
			t.Errorf("%+v", o)
		}
	}
	var all, others []api.SweepTarget
	for _, o := range found.Orphans {
		all = append(all, api.Target(o))
	}
	for _, o := range found.Others {
		others = append(others, api.Target(o))
	}
	refused := append(others, api.SweepTarget{Provider: "sprites", Name: kept.ID() + "-ship0"}, api.SweepTarget{Provider: "sprites", Name: "of-nobody"})
	var said, news account
	if err := h.Sweeper.Sweep(context.Background(), api.SweepRequest{Machines: refused}, said.report); !errors.Is(err, api.ErrRefused) || !strings.Contains(said.text(), "sprites does not list it any more") {
		t.Errorf("what is not to be swept: %v\n%s", err, said.text())
	}
	if err := h.Sweeper.Sweep(context.Background(), api.SweepRequest{Machines: all}, news.report); err != nil {
		t.Fatalf("%v\n%s", err, news.text())
	}
	if got := find(t, h); len(got.Orphans) > 0 || len(got.Others) != 2 || len(known(t, h)) > 0 {
		t.Errorf("after the sweep: %+v", got)
	}
	if left := far.Names(); len(left) != 4 || !slices.Contains(left, kept.ID()+"-ship0") {
		t.Errorf("sprites: %q", left)
	}
	if left := exe.Machines(); len(left) > 0 {
		t.Errorf("at exe.dev: %q", left)
	}
	if left, _ := h.Providers["local"].List(context.Background(), nil); len(left) > 0 {
		t.Errorf("here: %+v", left)
	}
	bundles, _ := filepath.Glob(filepath.Join(hub.Voyages, "left-behind", "*.bundle"))
	if len(bundles) != 3 {
		t.Fatalf("brought home: %q\n%s", bundles, news.text())
	}
	for _, b := range bundles {
		if !strings.Contains(news.text(), "git clone -b left-on-the-ship "+b) {
			t.Errorf("nobody was told of %s:\n%s", b, news.text())
		}
		to := filepath.Join(t.TempDir(), "clone")
		if out, err := exec.Command("git", "clone", "-q", "-b", "left-on-the-ship", b, to).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b, err, out)
		} else if raw, err := os.ReadFile(filepath.Join(to, "precious")); err != nil || string(raw) != "precious\n" {
			t.Errorf("%s: %q, %v", b, raw, err)
		}
	}
	if err := h.Sweeper.Sweep(context.Background(), api.SweepRequest{Machines: others, Others: true}, func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	if left := far.Names(); len(left) != 2 {
		t.Errorf("sprites: %q", left)
	}
}

// TestTwoLaptops has two captains with one account and, by some chance, voyages of one id. Neither sees
// the other's machine as an orphan of its own, nor destroys it.
func TestTwoLaptops(t *testing.T) {
	t.Parallel()
	far, exe := helmtest.Sprites(t), helmtest.Exe(t)
	var hubs []fleet.Hub
	var helms []*Set
	for range 2 {
		hub := helmtest.Hub(t)
		helmtest.AtSprites(t, far, hub)
		helmtest.AtExe(t, exe, hub)
		hubs, helms = append(hubs, hub), append(helms, newSet(t, hub))
	}
	for _, at := range []string{"sprites", "exedev"} {
		one := helmtest.Voyage(t, hubs[0], fleet.Voyage{Provider: at}, "#!/bin/sh\n")
		two := fleet.Dir(filepath.Join(hubs[1].Voyages, one.ID()))
		if out, err := exec.Command("cp", "-r", string(one), string(two)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sail(t, helms[0], one)
		v := openIt(t, helms[1], two)
		err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {})
		if at == "sprites" && (err == nil || !strings.Contains(err.Error(), provider.ErrTaken.Error())) || at == "exedev" && err != nil {
			t.Errorf("the second voyage of that id at %s: %v", at, err)
		}
		if got := find(t, helms[1], at); len(got.Orphans) > 0 || len(got.Others) != 1 {
			t.Errorf("at %s the second one sees %+v", at, got)
		}
		ended := make(chan error, 1)
		go func() { ended <- v.Fit.Sink(context.Background(), func(api.Progress) {}) }()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-eventually.Context(t).Done():
			t.Fatalf("at %s the second one's sink does not end: another's machine has the name", at)
		}
		if err := helms[1].sinkDamaged(two, func(api.Progress) {}); err != nil {
			t.Errorf("as a damaged one: %v", err)
		}
		if got := len(far.Names()) + len(exe.Machines()); got != 1 {
			t.Errorf("%d machines are left: %q, %q", got, far.Names(), exe.Machines())
		}
		helmtest.NoRecords(t, hubs[1])
		if err := openIt(t, helms[0], one).Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
			t.Error(err)
		}
		helmtest.NoRecords(t, hubs[0])
	}
	if far, exe := far.Names(), exe.Machines(); len(far)+len(exe) > 0 {
		t.Errorf("left: %q, %q", far, exe)
	}
}
