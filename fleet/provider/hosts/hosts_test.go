package hosts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// The tests install their own binary on hosts.
func TestMain(m *testing.M) {
	var err error
	switch strings.Join(os.Args[1:], " ") {
	case "aboard hosted":
		home, _ := os.UserHomeDir()
		err = hosts.Serve(context.Background(), home, os.Stdin, os.Stdout)
	case "aboard sshd":
		err = local.Serve(context.Background())
	default:
		goleak.VerifyTestMain(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// port is a captain with hosts, for a provider under test.
type port struct {
	*hoststest.Captain
	hosts   []*hoststest.Host
	options hosts.Options
	mounts  []*hoststest.Host // hosts whose homes were unmounted
}

// newPort makes a captain without hosts. Hosts that are started are also configured.
func newPort(t testing.TB) *port {
	t.Helper()
	slottest.Take(t, 1)
	p := &port{Captain: hoststest.NewCaptain(t, t.TempDir())}
	sockets, err := os.MkdirTemp("/tmp", "oc-") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := os.ReadDir(sockets); len(left) > 0 {
			t.Errorf("left in %s: %v", sockets, left)
		}
		os.RemoveAll(sockets)
	})
	p.options = hosts.Options{
		Hosts: func() ([]string, error) {
			var names []string
			for _, h := range p.hosts {
				names = append(names, h.Name)
			}
			return names, nil
		},
		State: filepath.Join(t.TempDir(), "state"), Runtime: sockets, Home: p.Home, AgentFile: filepath.Join(t.TempDir(), "agent"),
		Program: func(context.Context, string, string) (string, string, error) {
			exe, err := os.Executable()
			return exe, "of-a-test", err
		},
	}
	return p
}

func (p *port) start(name string, config []string, options ...string) *hoststest.Host {
	p.Helper()
	h := p.Start(name, config, options...)
	p.hosts = append(p.hosts, h)
	p.Cleanup(func() {
		for pid, command := range h.Processes("") {
			p.Errorf("left on %s: %d %s", name, pid, command)
		}
	})
	return h
}

func (p *port) provider() *hosts.Provider {
	p.Helper()
	made, err := hosts.New(p.options)
	if err != nil {
		p.Fatal(err)
	}
	return made
}

// host returns the host of a machine.
func (p *port) host(m provider.Machine) *hoststest.Host {
	p.Helper()
	for _, h := range p.hosts {
		if strings.HasPrefix(m.ID, h.Name+"/") {
			return h
		}
	}
	p.Fatalf("machine %s is on no host", m.ID)
	return nil
}

// TestContract has three hosts: one with a key file, one with an agent, and one behind the first as a jump host.
func TestContract(t *testing.T) {
	var jumped atomic.Bool
	t.Cleanup(func() {
		if !jumped.Load() {
			t.Error("nothing went through the first host")
		}
	})
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		p := newPort(t)
		first := p.start("quay", nil)
		p.start("mole", nil)
		last := p.start("pier", []string{"ProxyJump quay"})
		socket := p.Agent()
		p.Configure("Host *\n  IdentityAgent " + socket + "\n")
		t.Cleanup(func() {
			if strings.Contains(first.Log(), "target "+strings.Replace(last.Addr, ":", " port ", 1)) {
				jumped.Store(true)
			}
		})
		return &providertest.Subject{
			Provider: p.provider(),
			Again:    func() provider.Provider { return p.provider() },
			Kill: func(m provider.Machine) {
				for pid, command := range p.host(m).Processes(m.Name) {
					if strings.Contains(command, "aboard sshd") {
						if process, err := os.FindProcess(pid); err == nil {
							_ = process.Kill()
						}
					}
				}
				eventually.Holds(t, "the ship is dead", func() bool {
					got, err := p.provider().Get(context.Background(), m.Name)
					return err == nil && got.State == provider.Stopped
				})
			},
			Leftovers: func(m provider.Machine) []string { return p.leftovers(m) },
			There: func(name string) bool {
				return slices.ContainsFunc(p.hosts, func(h *hoststest.Host) bool { return len(h.Processes(name)) > 0 })
			},
			Lies: map[providertest.Lie]func(){
				providertest.Absent: func() { // the disk with the homes is unmounted for a moment
					for _, h := range p.hosts {
						h.Unmount()
						p.mounts = append(p.mounts, h)
					}
				},
			},
			Truth: func() {
				for _, h := range p.mounts {
					h.Mount()
				}
				p.mounts = nil
			},
		}
	})
}

func (p *port) leftovers(m provider.Machine) []string {
	var left []string
	h := p.host(m)
	for _, command := range h.Processes(m.Name) {
		left = append(left, command)
	}
	_, id, _ := strings.Cut(m.ID, "/")
	for _, name := range []string{filepath.Join(h.Ships(), m.Name), filepath.Join(h.Ships(), ".run", id), filepath.Join(h.Ships(), ".run", id+".ssh"), filepath.Join(p.options.State, m.Name+".json")} {
		if _, err := os.Lstat(name); err == nil {
			left = append(left, name)
		}
	}
	return left
}

func soon(t testing.TB) context.Context {
	return eventually.Context(t)
}
