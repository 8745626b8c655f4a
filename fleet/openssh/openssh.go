// Package openssh logs in to machines with the system's ssh, so that whatever works in the captain's
// shell works here too: his configuration, keys, agent, certificates and ways through other hosts.
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

// Captain is who logs in. Fields are not changed once it is used.
type Captain struct {
	// Home has .ssh in it.
	Home string

	// Runtime is a directory for sockets that the user alone can use. The caller makes it.
	Runtime string

	// Agents returns the sockets where the captain's ssh-agent may be, the best guess first; "" is
	// no guess. nil is for none. ~/.ssh/config may name another one.
	Agents func() []string

	// Patience is how long a login may take, where ~/.ssh/config has no shorter ConnectTimeout. Default: 30 s.
	Patience time.Duration

	doors sync.Map // host → channel: who logs in there
	ways  sync.Map // Place → way
}

func (c *Captain) patience() time.Duration { return cmp.Or(c.Patience, 30*time.Second) }

// always are settings that make ssh ask no questions, and do only what it is told to. Settings about
// the captain's terminal, or that forward something of his, have no place in a program.
var always = []string{
	"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "LogLevel=INFO", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none",
	"-o", "PermitLocalCommand=no", "-o", "Tunnel=no", "-o", "UpdateHostKeys=no",
}

// loginArgv is the command that logs in to a place. Options hold beside those of ~/.ssh/config and win over them.
func (c *Captain) loginArgv(p Place, options ...string) []string {
	return slices.Concat([]string{"ssh"}, c.configFile(), always, options, p.placeArgs())
}

// placeArgs name a place to ssh.
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

// configFile names the captain's configuration where OpenSSH would not look: it goes by the
// user's entry in the password file, not by HOME.
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

// environ is where ssh finds the agent, and why it finds none.
func (c *Captain) environ(ctx context.Context) (env []string, missing string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // a process that hangs must not keep others waiting
	defer cancel()
	env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "SSH_AUTH_SOCK" || name == "SSH_ASKPASS_REQUIRE"
	})
	// The ssh for a host on the way is not told of BatchMode.
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
