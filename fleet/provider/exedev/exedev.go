// Package exedev makes machines at exe.dev. Machines are made, listed and removed by commands
// of its lobby, which is reached by SSH or, with a token, by HTTPS; each machine answers SSH
// under an address that the lobby tells.
//
// What the lobby lists of a machine has no room for labels. So the name there carries this
// install's id, and a file here the labels: a machine that has the one and not the other is
// never touched.
package exedev

import (
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/turn"
	"ocaptain/tasks/pattern"
)

// Options say who the captain is at exe.dev.
type Options struct {
	// Dir keeps a file per machine. It is made when it is first needed.
	Dir string

	// Runtime is a directory for sockets that the user alone can use.
	Runtime string

	// Install is the id of this install, lower case letters and digits, 16 at most.
	Install string

	// Home is the captain's, where .ssh has keys and known hosts. Default: that of the user.
	Home string

	// KeyFile is the only key to log in to the lobby with. Default: the keys that ssh exe.dev would
	// use, from an agent and from files, as ~/.ssh/config says.
	KeyFile string

	// Agent is the socket of an ssh-agent, "" for none.
	Agent string

	// AgentFile is where openssh.Remember left the captain's ssh-agent, for when that one is not there.
	AgentFile string

	// Token returns the token for the HTTPS API, "" to use SSH. Default: none.
	Token func() string

	// Via is for tests: the address, such as http://127.0.0.1:80, of a fake that answers for
	// the HTTPS API, and that connects to machines when it is asked to CONNECT.
	Via string

	// Settle is how long a machine may take to appear that was asked for without an answer.
	// Default: 45 s, as the lobby bounds commands to 30 s.
	Settle time.Duration

	// Pace is the time in which at most three connections to the lobby are made. Default: 10 s.
	Pace time.Duration
}

// Provider makes machines at exe.dev. Several processes may use one Dir at the same time.
type Provider struct {
	options Options
	via     *url.URL // nil for the real one
	turn    turn.Turn
	captain *openssh.Captain
	ssh     *openssh.Kept // to the lobby
	letting turn.Turn     // held while a key is being let in
	asking  turn.Turn     // held while it is asked who the captain is, and for asker
	asker   asker         // who the lobby last said it is

	mu      sync.Mutex
	keys    map[string]bool      // accounts and fingerprints that are known to be let in
	suspect map[string]time.Time // machines whose last connection did not live
	listing *listing             // that waits for its turn, nil for none
}

var _ provider.Provider = (*Provider)(nil)

var validInstall = pattern.New(`^[a-z0-9]{1,16}$`)

// New returns a provider. It connects to nothing.
func New(options Options) (*Provider, error) {
	if options.Dir == "" || options.Runtime == "" || !validInstall().MatchString(options.Install) {
		return nil, fmt.Errorf("exe.dev needs directories and the id of the install, not %q, %q and %q", options.Dir, options.Runtime, options.Install)
	}
	if options.Home == "" {
		var err error
		if options.Home, err = os.UserHomeDir(); err != nil {
			return nil, fmt.Errorf("home directory: %w", err)
		}
	}
	if options.Token == nil {
		options.Token = func() string { return "" }
	}
	if options.Settle <= 0 {
		options.Settle = 45 * time.Second
	}
	if options.Pace <= 0 {
		options.Pace = 10 * time.Second
	}
	p := &Provider{options: options, turn: turn.New(), letting: turn.New(), asking: turn.New(), keys: map[string]bool{}, suspect: map[string]time.Time{}}
	if options.Via != "" {
		u, err := url.Parse(options.Via)
		if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
			return nil, errors.New("the address in place of exe.dev must be http:// on this machine, as it is for tests only")
		}
		p.via = u
	}
	p.captain = &openssh.Captain{
		Home: options.Home, Runtime: options.Runtime,
		Agents: func() []string { return []string{options.Agent, openssh.Remembered(options.AgentFile)} },
	}
	p.ssh = p.captain.KeptConnection(lobby, fmt.Sprintf("exe-%08x", crc32.ChecksumIEEE([]byte(options.KeyFile))))
	return p, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Name is "exedev".
func (p *Provider) Name() string { return "exedev" }

// Limits leaves room in names for the install's id, which follows them at exe.dev. How many
// machines an account may have it does not tell before there are too many.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: 63 - len(p.suffix()), NamePattern: namePattern, Late: commandMax}
}

// Close ends the connection to the lobby, for all processes. The next call makes another one.
func (p *Provider) Close() { p.ssh.Close() }

const namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`

var validName = pattern.New(namePattern)

// suffix follows every name at exe.dev. It says whose the machine is, and sees to it that no
// name ends in a dash and digits, which exe.dev refuses.
func (p *Provider) suffix() string { return "-oc" + p.options.Install }

// validName tells whether a machine may have that name.
func (p *Provider) validName(name string) bool {
	return len(name) <= p.Limits().NameMax && validName().MatchString(name)
}

// vmName is what the machine of that name is called at exe.dev.
func (p *Provider) vmName(name string) string { return name + p.suffix() }

func (p *Provider) recordFile(name string) string { return filepath.Join(p.options.Dir, name+".json") }
