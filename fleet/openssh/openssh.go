// Package openssh logs in to machines with the system's ssh, so that whatever works in the captain's shell works here
// too: his configuration, keys, agent, certificates and jump hosts.
package openssh

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Captain is the user who logs in. Its fields must not change once it is used.
type Captain struct {
	// Home is the home directory, which contains .ssh.
	Home string

	// Runtime is a directory for sockets that only this user can access. The caller makes it.
	Runtime string

	// Agents returns the sockets where the captain's ssh-agent may listen, the most likely first; "" is skipped. If it is
	// nil, there is no agent. ~/.ssh/config may name another one.
	Agents func() []string

	// Patience bounds the time for a login, unless ~/.ssh/config has a shorter ConnectTimeout. Default: 30 s.
	Patience time.Duration

	doors sync.Map // by host: a channel with a slot for each login at the same time
	ways  sync.Map // by Place: its way
}

func (c *Captain) patience() time.Duration { return cmp.Or(c.Patience, 30*time.Second) }

// always are options that make ssh ask no questions, and do nothing beyond its command. Settings about the captain's
// terminal, and settings that forward something, are of no use to a program.
var always = []string{
	"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "LogLevel=INFO", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none",
	"-o", "PermitLocalCommand=no", "-o", "Tunnel=no", "-o", "UpdateHostKeys=no",
}

// loginArgv returns the command that logs in to a place. options override those of ~/.ssh/config.
func (c *Captain) loginArgv(p Place, options ...string) []string {
	return slices.Concat([]string{"ssh"}, c.configFile(), always, options, p.placeArgs())
}

// placeArgs returns the arguments that name a place to ssh.
func (p Place) placeArgs() []string {
	var args []string
	if p.User != "" {
		args = append(args, "-l", p.User)
	}
	if p.Port != 0 {
		args = append(args, "-p", strconv.Itoa(p.Port))
	}
	return append(args, "--", p.Host)
}

// configFile names the captain's configuration file if OpenSSH would not find it, since OpenSSH uses the home
// directory in the password file, and not HOME.
func (c *Captain) configFile() []string {
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err != nil || u.HomeDir == c.Home {
		return nil
	}
	file := filepath.Join(c.Home, ".ssh", "config")
	if _, err := os.Stat(file); err != nil {
		return []string{"-F", "none"}
	}
	return []string{"-F", file}
}

// environ returns the environment by which ssh finds the agent, and why there is no agent.
func (c *Captain) environ(ctx context.Context) (env []string, missing string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // a process that hangs must not block others
	defer cancel()
	env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "SSH_AUTH_SOCK" || name == "SSH_ASKPASS_REQUIRE"
	})
	// BatchMode does not apply to the ssh for a jump host, so its questions are turned off here.
	env, missing = append(env, "SSH_ASKPASS_REQUIRE=never"), "there is no ssh-agent"
	if c.Agents == nil {
		return env, missing
	}
	for _, socket := range c.Agents() {
		if socket == "" {
			continue
		}
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err == nil {
			conn.Close()
			return append(env, "SSH_AUTH_SOCK="+socket), ""
		}
		missing = "the ssh-agent does not answer: " + err.Error()
	}
	return env, missing
}
