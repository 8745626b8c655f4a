package join_test

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestKernel has a ship join with a tunnel: it is logged in to over that, by both of its addresses, all of its processes
// get to the captain's machine, and nothing listens on other addresses. When its machine restarts it comes back, and when it leaves
// there is no tunnel any more.
func TestKernel(t *testing.T) {
	if !apart(t) {
		return
	}
	lab, shelf, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), signer(t)
	captain := lab.Join(t, "laptop")
	home := ship(t)
	o := order(lab, shelf, mine)
	o.Mode = tailnet.Kernel
	if a, err := obey(t, home, o); err != nil || !a.NeedsKey {
		t.Fatalf("without a key: %+v, %v", a, err)
	}
	o.Key = "any"
	began := time.Now()
	a, err := obey(t, home, o)
	if err != nil || a.Note != "" {
		t.Fatalf("%+v, %v", a, err)
	}
	t.Logf("joined in %s", time.Since(began).Round(time.Millisecond))
	addresses := tunnelled(t)
	way := &tailnet.Net{Socket: captain.Daemon.Socket}
	for _, ip := range addresses {
		at := a
		at.IP = ip.String()
		login(t, way, at, mine)
	}
	if len(addresses) != 2 {
		t.Errorf("its addresses are %s", addresses)
	}
	listening(t, home, addresses)
	outward(t, captain)

	end(t, home)
	o.Key = ""
	if again, err := obey(t, home, o); err != nil || again != a {
		t.Errorf("after a restart: %+v, %v, and was %+v", again, err, a)
	}
	tunnelled(t)
	login(t, way, a, mine)
	leave(t, home)
	if _, err := net.InterfaceByName("ocaptain0"); err == nil {
		t.Error("there is still a tunnel")
	}
}

// leave has a ship leave, after which nothing of its tailscaled is left.
func leave(t *testing.T, home string) {
	t.Helper()
	if _, err := obey(t, home, join.Order{Leave: true}); err != nil {
		t.Fatal(err)
	}
	d := tailnet.Daemon{Socket: filepath.Join(home, ".ocaptain/tailnet/sock")}
	if s, err := d.Status(t.Context()); err == nil {
		t.Errorf("its tailscaled is still %+v", s)
	}
	if _, err := os.Stat(filepath.Join(home, ".ocaptain/tailnet/state")); err == nil {
		t.Error("what it kept of its membership is still there")
	}
}

// tunnelled are the ship's addresses in the tailnet, which its tunnel has.
func tunnelled(t *testing.T) []netip.Addr {
	t.Helper()
	device, err := net.InterfaceByName("ocaptain0")
	if err != nil {
		t.Fatal(err)
	}
	all, err := device.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	var found []netip.Addr
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && tailnet.IsAddress(p.Addr()) {
			found = append(found, p.Addr())
		}
	}
	return found
}

// listening asserts that everything of the ship's listens on loopback, or in the tailnet.
func listening(t *testing.T, home string, ours []netip.Addr) {
	t.Helper()
	seen := 0
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewScanner(f); in.Scan(); {
			fields := strings.Fields(in.Text())
			if len(fields) < 4 || fields[3] != "0A" { // LISTEN
				continue
			}
			command, own := whose(fields[9], home)
			if !own {
				continue // a part of the lab
			}
			seen++
			ip := kernelAddress(t, fields[1])
			if !ip.IsLoopback() && !slices.Contains(ours, ip) {
				t.Errorf("%s listens at %s", command, ip)
			}
		}
		f.Close()
	}
	if seen < 2 { // the door, and tailscaled
		t.Errorf("only %d of the ship's sockets listen", seen)
	}
}

// whose tells which process has a socket, by its command, and whether that is one of the ship's.
func whose(inode, home string) (string, bool) {
	all, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range all {
		if to, _ := os.Readlink(fd); to == "socket:["+inode+"]" {
			proc := filepath.Dir(filepath.Dir(fd))
			command, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
			environ, _ := os.ReadFile(filepath.Join(proc, "environ"))
			return strings.ReplaceAll(string(command), "\x00", " "), strings.Contains("\x00"+string(environ), "\x00HOME="+home+"\x00")
		}
	}
	return "", false
}

// kernelAddress reads an address as those tables have it: words of 32 bits in the machine's order, which is
// little-endian on all machines that ocaptain is built for.
func kernelAddress(t *testing.T, text string) netip.Addr {
	t.Helper()
	digits, _, _ := strings.Cut(text, ":")
	raw := make([]byte, len(digits)/2)
	if _, err := fmt.Sscanf(digits, "%x", &raw); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+4 <= len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	ip, _ := netip.AddrFromSlice(raw)
	return ip.Unmap()
}

// outward asserts that any process of the ship's gets to the captain's machine over the tailnet.
func outward(t *testing.T, captain *tailnettest.Node) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			_, _ = c.Write([]byte("ahoy"))
			c.Close()
		}
	}()
	s, err := captain.Daemon.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ip := range s.Self.IPs {
		to := netip.AddrPortFrom(ip, uint16(l.Addr().(*net.TCPAddr).Port)).String()
		conn, err := (&net.Dialer{Timeout: 15 * time.Second}).DialContext(t.Context(), "tcp", to)
		if err != nil {
			t.Errorf("from the ship to the captain: %v", err)
			continue
		}
		_ = conn.SetDeadline(time.Now().Add(15 * time.Second))
		said := make([]byte, 4)
		if _, err := conn.Read(said); err != nil || string(said) != "ahoy" {
			t.Errorf("the captain's machine said %q, %v", said, err)
		}
		conn.Close()
	}
}

// TestNoKernel has ships join in userspace all the same where there can be no tunnel, or none comes up, and say why.
func TestNoKernel(t *testing.T) {
	if !apart(t) {
		return
	}
	lab, shelf, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), signer(t)
	captain := lab.Join(t, "laptop")
	way := &tailnet.Net{Socket: captain.Daemon.Socket}
	join := func(why string) string {
		t.Helper()
		home := ship(t)
		if why == "" { // a tailscaled to which the kernel gives no tunnel
			bin := filepath.Join(home, ".ocaptain/tailnet/bin")
			real := tailnettest.Binary(t)
			script := "#!/bin/sh\ncase \"$*\" in *--tun=ocaptain0*) echo no device for you >&2; exit 1;; esac\nexec " + real + " \"$@\"\n"
			if err := os.MkdirAll(bin, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(bin, "tailscaled"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(filepath.Dir(real), "tailscale"), filepath.Join(bin, "tailscale")); err != nil {
				t.Fatal(err)
			}
			why = "no device for you"
		}
		o := order(lab, shelf, mine)
		o.Mode = tailnet.Kernel
		if a, err := obey(t, home, o); err != nil || !a.NeedsKey {
			t.Fatalf("without a key: %+v, %v", a, err)
		}
		o.Key = "any"
		for range 2 { // and when it is asked again
			a, err := obey(t, home, o)
			if err != nil || !strings.Contains(a.Note, "in userspace") || !strings.Contains(a.Note, why) {
				t.Fatalf("%+v, %v", a, err)
			}
			login(t, way, a, mine)
		}
		return home
	}
	leave(t, join(""))
	tunnelOf(t, "tailscale7")
	leave(t, join("a tunnel of another tailscaled: tailscale7"))
}
