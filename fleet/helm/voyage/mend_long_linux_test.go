//go:build long

package voyage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
)

// TestLeftTailnet has a ship lose its membership, as one whose node is logged out. The captain is told, the ship works on, reached
// through its provider, and when it is sunk the node that it was goes, too.
func TestLeftTailnet(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	m.loses(t)
	eventually.Holds(t, "the captain is told", m.told("it is not in the tailnet any more, and is reached as its provider does"))
	m.sails(t)
}

// loses ends the ship's tailscaled, and removes what that keeps of its membership.
func (m *member) loses(t *testing.T) {
	t.Helper()
	before := m.Reach.Conn()
	state := filepath.Join(m.home, ".ocaptain", "tailnet", "state")
	if err := os.Rename(state, state+".lost"); err != nil { // first: helm may be quick to start another one
		t.Fatal(err)
	}
	if n := halt(m.home); n != 2 {
		t.Fatalf("%d processes were ended", n)
	}
	reached := m.reached(fleet.ViaProvider)
	eventually.Holds(t, "it is reached through its provider", func() bool { return m.Reach.Conn() != before && reached() }) // a copy of the tree may go the new way first
}

// sails sees to it that the ship is out of the tailnet, does its work all the same and leaves nothing there.
func (m *member) sails(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "helm knows it to be in no tailnet", func() bool { return m.now() == nil })
	if f, err := fleet.LoadFleet(m.v.Dir); err != nil || f.ShipNamed(m.Name).Tailnet != nil {
		t.Errorf("kept: %+v, %v", f, err)
	}
	if n := halt(m.home); n > 1 { // but the door
		t.Errorf("%d processes go on for the tailnet", n)
	}
	openGates(t, m.home)
	eventually.Holds(t, "complete", m.v.is(fleet.Complete))
	if err := m.v.Fit.Sink(t.Context(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for _, d := range m.api.Devices() {
		if d.Node == m.was.Node {
			t.Errorf("it is a device yet: %+v", d)
		}
	}
}

// member is a ship at exe.dev that is in a real tailnet, and is reached over that.
type member struct {
	*Ship
	api  *apitest.Fake
	home string
	was  fleet.Tailnet // where it was in the tailnet
}

func newMember(t *testing.T) *member {
	t.Helper()
	lab, shelf := tailnettest.Start(t, ""), tailnettest.NewShelf(t)
	laptop := lab.Join(t, "laptop")
	api := apitest.Start(t, apitest.Options{Tags: []string{tailnettest.Tag}})
	lab.TellTo(api)
	hub := helmtest.Hub(t)
	helmtest.AtExe(t, exedevtest.Start(t, exedevtest.Config{TellUser: true, Env: tailnettest.Env}), hub)
	if err := install.KeepTailnet(hub, tailnet.Credentials{Secret: api.Secret(), URL: api.URL, Tag: tailnettest.Tag}); err != nil {
		t.Fatal(err)
	}
	h := startHelm(t, hub)
	h.Net.Socket, h.JoinFrom = laptop.Daemon.Socket, access.JoinFrom{Login: lab.URL, Tarballs: shelf.URL}
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "exedev"}, "#!/bin/sh\n", gated("1", "true"))
	sinkAfter(t, h, d)
	v := sailFar(t, h, d, 1)
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	m := &member{Ship: s, api: api}
	eventually.Holds(t, "it is reached over the tailnet", m.reached(fleet.ViaTailnet))
	changes(v, func() { m.home, m.was = s.Record().Home, *s.Record().Tailnet })
	return m
}

// reached tells whether helm talks with the ship on that way.
func (m *member) reached(way string) func() bool {
	return func() bool {
		via, _ := m.Reach.Way()
		return m.Reach.Conn() != nil && via == way
	}
}

// now is where the ship is in the tailnet as far as helm knows, nil for nowhere.
func (m *member) now() *fleet.Tailnet {
	return reads(m.v, func() *fleet.Tailnet { return m.known.Ship.Tailnet })
}

// TestMend ends a ship's tailscaled and its door, as a restart of its machine does. Helm reaches it through its provider, starts them
// again without a key, and gets there over the tailnet.
func TestMend(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	if n := halt(m.home); n != 2 {
		t.Fatalf("%d processes were ended", n)
	}
	eventually.Holds(t, "it is reached through its provider", m.reached(fleet.ViaProvider))
	eventually.Holds(t, "its door is open in the tailnet again", func() bool {
		conn, err := m.v.common.OverTailnet(t.Context(), m.now())
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	// The usual port of doors is this machine's, and another test's ship may have it by now.
	if now := *m.now(); now.Node != m.was.Node || now.IP != m.was.IP || now.HostKey != m.was.HostKey {
		t.Errorf("it is at %+v, and was at %+v", now, m.was)
	}
	if all := m.api.Devices(); len(all) != 1 {
		t.Errorf("devices: %+v", all)
	}
}

// told tells whether the voyage has a note of that.
func (m *member) told(text string) func() bool {
	return when(m.v, func() bool { return strings.Contains(fmt.Sprint(m.v.Notes.List()), text) })
}

// halt ends the tailscaled and the door of the ship with that home, and tells how many processes those were.
func halt(home string) (ended int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		pid, _ := strconv.Atoi(filepath.Base(p))
		command, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(p, "environ"))
		own := strings.Contains("\x00"+string(environ), "\x00HOME="+home+"\x00")
		if own && (bytes.Contains(command, []byte("--tun=")) || bytes.Contains(command, []byte("standing-sshd"))) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			ended++
		}
	}
	return ended
}
