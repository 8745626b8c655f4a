package helm

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestMend ends a ship's tailscaled and its door, as a restart of its machine does. Helm reaches it through its provider, starts them
// again without a key, and gets there over the tailnet.
func TestMend(t *testing.T) {
	lab, shelf := tailnettest.Start(t, ""), tailnettest.NewShelf(t)
	laptop := lab.Join(t, "laptop")
	api := apitest.Start(t, apitest.Options{Tags: []string{tailnettest.Tag}})
	lab.TellTo(api)
	t.Setenv("OCAPTAIN_TAILSCALE_SOCKET", laptop.Daemon.Socket)
	t.Setenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER", lab.URL)
	t.Setenv("OCAPTAIN_TAILSCALE_TARBALLS", shelf.URL)
	hub := newHub(t)
	knowsExe(t, exedevtest.Start(t, exedevtest.Config{Exe: program, Args: []string{"aboard", "sshd"}, TellUser: true, Env: tailnettest.Env}), hub)
	if err := KeepTailnet(hub, tailnet.Credentials{Secret: api.Secret(), URL: api.URL, Tag: tailnettest.Tag}); err != nil {
		t.Fatal(err)
	}
	h := startHelm(t, hub)
	d := farVoyage(t, hub, "exedev", gated("1", "true"))
	sinkAfter(t, h, d)
	v := sailFar(t, h, d, 1)
	s, err := v.ship("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	via := func(way string) func() bool {
		return func() bool {
			v.mu.Lock()
			defer v.mu.Unlock()
			return s.conn != nil && s.via == way
		}
	}
	until(t, "it is reached over the tailnet", time.Minute, via(fleet.ViaTailnet))
	v.mu.Lock()
	home, was := s.known.Ship.Home, *s.known.Ship.Tailnet
	v.mu.Unlock()
	if n := halt(home); n != 2 {
		t.Fatalf("%d processes were ended", n)
	}
	until(t, "it is reached through its provider", time.Minute, via(fleet.ViaProvider))
	until(t, "it answers over the tailnet again", time.Minute, func() bool {
		conn, err := h.overTailnet(t.Context(), &was)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	v.mu.Lock()
	now := s.known.Ship.Tailnet
	v.mu.Unlock()
	if now == nil || *now != was {
		t.Errorf("it is at %+v, and was at %+v", now, was)
	}
	if all := api.Devices(); len(all) != 1 {
		t.Errorf("devices: %+v", all)
	}
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
