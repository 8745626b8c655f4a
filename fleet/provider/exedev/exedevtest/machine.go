package exedevtest

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider/hosts/hoststest"
)

// machine is one virtual machine.
type machine struct {
	name string
	user string     // the user to log in as
	at   string     // its address, "" behind the gateway; guarded by Fake.mu
	show ssh.Signer // its host key at an address of its own

	mu    sync.Mutex
	host  *hoststest.Host
	off   bool
	ready time.Time // when it runs
}

// told returns the lobby's description of the machine. The caller holds Fake.mu.
func (m *machine) told(c Config) map[string]string {
	host := m.name + ".exe.xyz"
	v := map[string]string{
		"vm_name": m.name, "ssh_host": host, "ssh_dest": cmp.Or(m.at, "vm+"+m.name+"@"+gateway), "https_url": "https://" + host,
		"region": "pdx", "region_display": "Oregon, USA", "status": m.status(),
	}
	if c.TellUser {
		v["ssh_user"] = m.user
	}
	return v
}

func (m *machine) status() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.off:
		return "stopped"
	case time.Now().Before(m.ready):
		return "starting"
	}
	return "running"
}

// build makes a machine.
func (f *Fake) build(name string) (*machine, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	host := f.yard.Start(name, nil, "LogLevel VERBOSE") // not DEBUG, whose messages commands would print
	m := &machine{
		name: name, user: me.Username, at: name + ".exe.xyz", show: newSigner(f.t),
		host: host, ready: time.Now().Add(f.config.Boot),
	}
	if f.config.Gateway {
		m.at = ""
	}
	return m, nil
}

// gateway is the address of machines without an address of their own.
const gateway = "vm.exe.xyz"

// Move gives a machine another address, "" for the gateway, and closes all connections to it. Another machine at that
// address becomes unreachable, and nothing answers at the old address.
func (f *Fake) Move(name, at string) {
	f.mu.Lock()
	for _, m := range f.vms {
		switch {
		case m.name == name:
			m.at = at
		case at != "" && m.at == at:
			m.at = m.name + ".elsewhere.exe.xyz"
		}
	}
	f.mu.Unlock()
	f.Hang()
}

// standsAt returns the machine with this address of its own.
func (f *Fake) standsAt(host string) *machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.vms {
		if m.at == host && host != "" {
			return m
		}
	}
	return nil
}

// behind returns the machine of that name behind the gateway.
func (f *Fake) behind(name string) *machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.vms[name]; m != nil && m.at == "" {
		return m
	}
	return nil
}

func (f *Fake) machine(name string) *machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.vms[name]
}

func (f *Fake) remove(name string) bool {
	f.mu.Lock()
	m := f.vms[name]
	if m == nil {
		f.mu.Unlock()
		return false
	}
	f.before = maps.Clone(f.vms)
	delete(f.vms, name)
	f.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = true
	if err := m.host.Scrap(); err != nil {
		f.t.Errorf("the machine %s: %v", name, err)
	}
	return true
}

func (f *Fake) destroyAll() {
	f.mu.Lock()
	var names []string
	for name := range f.vms {
		names = append(names, name)
	}
	f.mu.Unlock()
	for _, name := range names {
		f.remove(name)
	}
}

// Root returns the directory with the files of all machines.
func (f *Fake) Root() string { return f.yard.Root }

// Machines returns the names of all machines.
func (f *Fake) Machines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.vms {
		names = append(names, name)
	}
	return names
}

// Left reports whether anything is left of a machine.
func (f *Fake) Left(name string) bool {
	_, err := os.Lstat(filepath.Join(f.Root(), name))
	return err == nil
}

// Foreign makes a machine that was not requested from the lobby.
func (f *Fake) Foreign(name string) error {
	m, err := f.build(name)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.vms[name] = m
	return nil
}

// Rename renames a machine, as its owner may. It keeps its address.
func (f *Fake) Rename(name, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.vms[name]
	delete(f.vms, name)
	f.vms[to], m.name = m, to
}

// Vanish removes a machine without a request to the lobby.
func (f *Fake) Vanish(name string) { f.remove(name) }

// Stop stops a machine, with all its processes.
func (f *Fake) Stop(name string) error {
	m := f.machine(name)
	if m == nil {
		return errors.New("no such machine")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = true
	m.host.Halt()
	return nil
}

func (f *Fake) restart(name string) bool {
	m := f.machine(name)
	if m == nil {
		return false
	}
	if !m.isOff() {
		_ = f.Stop(name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.machine(name) != m {
		return false // the machine was removed meanwhile
	}
	m.host.Boot()
	m.off, m.ready = false, time.Now().Add(f.config.Boot)
	return true
}

func (m *machine) isOff() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.off
}

// open logs in to the machine itself.
func (f *Fake) open(m *machine) (*ssh.Client, error) {
	if m.status() != "running" {
		return nil, errors.New("it does not run")
	}
	return ssh.Dial("tcp", m.host.Addr, &ssh.ClientConfig{
		User: m.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(f.inside)},
		HostKeyCallback: ssh.FixedHostKey(m.host.Key), Timeout: 10 * time.Second,
	})
}

// inMachine runs a command on the machine, and combines both outputs.
func (f *Fake) inMachine(name, line string) result {
	m := f.machine(name)
	if m == nil {
		return refuse("VM %q not found", name)
	}
	client, err := f.open(m)
	if err != nil {
		return result{out: "ssh: connect to host " + name + ": Connection refused\n", code: 255}
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return result{out: err.Error(), code: 255}
	}
	out, err := session.CombinedOutput(line)
	var exit *ssh.ExitError
	if errors.As(err, &exit) {
		return result{out: string(out), code: exit.ExitStatus()}
	}
	return result{out: string(out)}
}
