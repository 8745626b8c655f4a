package exedev_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

// lobbyAt returns an address on this machine where the stand-in's lobby answers.
func (s *stage) lobbyAt() (host, port string) { return s.at("exe.dev:22") }

// at returns an address on this machine where the stand-in answers as it does at addr.
func (s *stage) at(addr string) (host, port string) {
	s.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	var all sync.WaitGroup
	s.Cleanup(all.Wait)
	s.Cleanup(func() { l.Close() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				up, err := net.Dial("tcp", strings.TrimPrefix(s.fake.URL, "http://"))
				if err != nil {
					return
				}
				defer up.Close()
				fmt.Fprintf(up, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", addr)
				r := bufio.NewReader(up)
				if _, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}); err != nil {
					return
				}
				go func() { _, _ = io.Copy(up, conn); up.Close() }()
				_, _ = io.Copy(conn, r)
			})
		}
	})
	host, port, _ = net.SplitHostPort(l.Addr().String())
	return host, port
}

// unconfigured removes ~/.ssh/config.
func (s *stage) unconfigured() {
	s.Helper()
	if err := os.Remove(filepath.Join(s.options.Home, ".ssh", "config")); err != nil {
		s.Fatal(err)
	}
}

// Settings for exe.dev in ~/.ssh/config apply: another address, another key file, and a jump host.
func TestConfigured(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	dir := filepath.Join(s.options.Home, ".ssh")
	if err := os.Rename(filepath.Join(dir, "id_ed25519"), filepath.Join(dir, "cloud")); err != nil {
		t.Fatal(err)
	}
	host, port := s.lobbyAt()
	s.unconfigured()
	c := hoststest.NewCaptain(t, s.options.Home)
	quay := c.Start("quay", nil)
	c.Configure("Host exe.dev\n  HostName " + host + "\n  Port " + port + "\n  HostKeyAlias exe.dev\n  IdentityFile " + dir + "/cloud\n  UserKnownHostsFile " + dir + "/known_hosts\n  ProxyJump quay\n")
	a, err := s.provider().Account(soon(t))
	if err != nil || a.Email != "ada@example.org" {
		t.Fatalf("%+v, %v", a, err)
	}
	if !strings.Contains(quay.Log(), "target "+host+" port "+port) {
		t.Error("nothing went through the host on the way")
	}
	// An error names a jump host that is down, or whose key is wrong.
	quay.Halt()
	ctx := eventually.Brief(t, 5*time.Second) // short, as it would be retried for long
	if _, err := s.provider().Account(ctx); err == nil || !strings.Contains(err.Error(), "on the way to host exe.dev: host quay cannot be reached") {
		t.Errorf("got %v", err)
	}
	quay.Rekey()
	quay.Boot()
	if _, err := s.provider().Account(soon(t)); err == nil || !strings.Contains(err.Error(), "on the way to host exe.dev: host quay: its host key changed") {
		t.Errorf("got %v", err)
	}
}

// If a key file is set, no other key is used.
func TestOneKey(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	dir := filepath.Join(s.options.Home, ".ssh")
	if err := os.Rename(filepath.Join(dir, "id_ed25519"), filepath.Join(dir, "only")); err != nil {
		t.Fatal(err)
	}
	writeKey(t, filepath.Join(dir, "id_ed25519"), "")
	s.options.KeyFile = filepath.Join(dir, "only")
	if _, err := s.provider().Account(soon(t)); err != nil {
		t.Error(err)
	}
	s.options.KeyFile = filepath.Join(dir, "none")
	if _, err := s.provider().Account(soon(t)); err == nil || !strings.Contains(err.Error(), "no ssh key can be used: ") || !strings.Contains(err.Error(), s.options.KeyFile) {
		t.Errorf("got %v", err)
	}
}

// A lobby whose key differs from that in known_hosts gets no login, wherever ~/.ssh/config leads.
func TestConfiguredElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	dir := filepath.Join(s.options.Home, ".ssh")
	host, port := s.lobbyAt()
	config := "Host exe.dev\n  HostName " + host + "\n  Port " + port + "\n  UserKnownHostsFile " + dir + "/known_hosts\n  IdentityFile " + dir + "/id_ed25519\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.provider().Account(soon(t)); err == nil || !strings.Contains(err.Error(), exedev.Fingerprint) {
		t.Errorf("unknown there: %v", err)
	}
	known := knownhosts.Line([]string{net.JoinHostPort(host, port)}, s.fake.HostKey) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "known_hosts"), []byte(known), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.provider().Account(soon(t)); err != nil {
		t.Errorf("known there: %v", err)
	}
}

// Settings for machines in ~/.ssh/config apply too: another address, and a jump host.
func TestConfiguredMachines(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{TellUser: true})
	host, port := s.at("m-oci1.exe.xyz:22")
	s.unconfigured()
	c := hoststest.NewCaptain(t, s.options.Home)
	quay := c.Start("quay", nil)
	c.Configure("Host *.exe.xyz\n  HostName " + host + "\n  Port " + port + "\n  ProxyJump quay\n" + exedevtest.SSHConfig(s.options.Home, s.fake.Addr()))
	p := s.provider()
	m, err := p.Create(soon(t), provider.Spec{Name: "m", AuthorizedKey: string(ssh.MarshalAuthorizedKey(s.signer.PublicKey()))})
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Count(quay.Log(), "target "+host+" port "+port)
	if before == 0 {
		t.Error("whether it greets was not asked through the host on the way")
	}
	conn, err := p.Dial(soon(t), m)
	if err != nil {
		t.Fatal(err)
	}
	greeting := make([]byte, 4)
	if _, err := io.ReadFull(conn, greeting); err != nil || string(greeting) != "SSH-" {
		t.Errorf("%q, %v", greeting, err)
	}
	conn.Close()
	if strings.Count(quay.Log(), "target "+host+" port "+port) != before+1 {
		t.Error("nothing went through the host on the way")
	}
	// A jump host that is down is a temporary error; one with another key is named.
	quay.Halt()
	var later *provider.Temporary
	if _, err := p.Dial(soon(t), m); !errors.As(err, &later) || !strings.Contains(err.Error(), "host quay cannot be reached") {
		t.Errorf("got %v", err)
	}
	quay.Rekey()
	quay.Boot()
	if _, err := p.Dial(soon(t), m); err == nil || errors.As(err, &later) || !strings.Contains(err.Error(), "host quay: its host key changed") {
		t.Errorf("got %v", err)
	}
}
