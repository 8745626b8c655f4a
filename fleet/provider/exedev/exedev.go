// Package exedev makes machines at exe.dev. Commands of exe.dev's lobby make, list and remove machines. The lobby is
// reached by SSH or, with a token, by HTTPS. Each machine has an SSH server at an address that the lobby reports.
//
// Machines in the lobby's lists have no labels. So the name of a machine contains this install's id, and a local file
// has its labels. The provider never touches a machine that has one but not the other.
package exedev

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/tasks/pattern"
)

// Options are the settings of a Provider.
type Options struct {
	// Dir is the directory with a file for each machine. It is made when it is first needed.
	Dir string

	// Runtime is a directory for sockets that only this user can access.
	Runtime string

	// Install is the id of this install: at most 16 lower-case letters and digits.
	Install string

	// Home is the captain's home, whose .ssh has keys and known hosts. Default: the user's home directory.
	Home string

	// KeyFile is the file of the only key for the lobby. Default: the keys that "ssh exe.dev" would use, from an agent
	// and from files, as ~/.ssh/config says.
	KeyFile string

	// Agent is the socket of an ssh-agent, "" for none.
	Agent string

	// AgentFile is the file in which openssh.Remember stored the captain's ssh-agent, for use when Agent does not answer.
	AgentFile string

	// Token returns the token for the HTTPS API, "" to use SSH. Default: none.
	Token func() string

	// Via is for tests: the URL, such as http://127.0.0.1:80, of a fake that answers in place of the HTTPS API, and
	// connects to machines by CONNECT.
	Via string

	// Settle is how long a machine may take to appear after a request without an answer. Default: 45 s, as the lobby ends
	// commands after 30 s.
	Settle time.Duration

	// Pace is the time in which at most connectsMax connections to the lobby are made. Default: 10 s.
	Pace time.Duration
}

// Provider makes machines at exe.dev. Several processes may use the same Dir at the same time.
type Provider struct {
	options Options
	captain *openssh.Captain
	lobby   *lobby
	records records

	mu      sync.Mutex
	suspect map[string]time.Time // when the last connection to a machine ended, if it was short
}

var _ provider.Provider = (*Provider)(nil)

var validInstall = pattern.New(`^[a-z0-9]{1,16}$`)

// New returns a provider. It does not connect.
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
	var via *url.URL
	if options.Via != "" {
		var err error
		if via, err = url.Parse(options.Via); err != nil || via.Scheme != "http" || !isLoopback(via.Hostname()) {
			return nil, errors.New("the address in place of exe.dev must be http:// on this machine, as it is for tests only")
		}
	}
	captain := &openssh.Captain{
		Home: options.Home, Runtime: options.Runtime,
		Agents: func() []string { return []string{options.Agent, openssh.Remembered(options.AgentFile)} },
	}
	return &Provider{
		options: options, captain: captain, lobby: newLobby(options, via, captain), records: records{dir: options.Dir, install: options.Install},
		suspect: map[string]time.Time{},
	}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Name returns "exedev".
func (p *Provider) Name() string { return "exedev" }

// Limits leaves room in names for the install's id, which is appended at exe.dev. exe.dev reports how many machines
// an account may have only once there are too many.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: maxName - len(p.records.suffix()), NamePattern: namePattern, Late: commandMax}
}

// Close ends the connection to the lobby for all processes. The next call makes a new one.
func (p *Provider) Close() { p.lobby.ssh.Close() }

// namePattern and maxName are what exe.dev allows.
const (
	namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	maxName     = 63
)

var validName = pattern.New(namePattern)
