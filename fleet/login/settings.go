package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a host as ~/.ssh/config and the system's configuration have it.
type target struct {
	place    Place
	user     string
	addr     string   // host:port
	checked  string   // host:port that known_hosts is asked for
	keys     []string // files of private keys
	own      bool     // the keys were named for this host, they are not just the usual ones
	onlyKeys bool     // the agent is used for these keys alone
	agent    string   // socket of the agent, "" for the usual one, none for none
	known    []string // files with host keys
	jumps    []Place  // hosts on the way, the nearest first
	timeout  time.Duration
	notes    []string // what is asked for there and not honoured
}

// refused are settings that change where a connection goes or whom it trusts: to do without
// them could reach the wrong machine.
var refused = map[string]string{
	"proxycommand":      "use ProxyJump instead",
	"knownhostscommand": "put the key into known_hosts instead",
	"revokedhostkeys":   "mark the keys with @revoked in known_hosts instead",
	"bindaddress":       "remove it for this host",
	"bindinterface":     "remove it for this host",
}

// settled are the settings that are honoured, or make no difference to what is done here.
var settled = strings.Fields(`host user hostname port identityfile identitiesonly identityagent proxyjump userknownhostsfile
globalknownhostsfile hostkeyalias connecttimeout
addkeystoagent batchmode canonicaldomains canonicalizefallbacklocal canonicalizehostname canonicalizemaxdots canonicalizepermittedcnames
checkhostip clearallforwardings compression connectionattempts controlmaster controlpath controlpersist dynamicforward
enableescapecommandline enablesshkeysign escapechar exitonforwardfailure fingerprinthash forkafterauthentication forwardagent
forwardx11 forwardx11timeout forwardx11trusted gatewayports hashknownhosts ignoreunknown ipqos kbdinteractiveauthentication
localcommand localforward loglevel logverbose numberofpasswordprompts obscurekeystroketiming passwordauthentication
permitlocalcommand permitremoteopen proxyusefdpass remotecommand remoteforward requesttty sendenv serveralivecountmax
serveraliveinterval sessiontype setenv stdinnull streamlocalbindmask streamlocalbindunlink syslogfacility tag tcpkeepalive tunnel
tunneldevice updatehostkeys visualhostkey xauthlocation`)

// resolve asks OpenSSH's own client what holds for a host. It reads the configuration, connects
// nowhere and changes nothing.
func (c *Captain) resolve(ctx context.Context, p Place) (target, error) {
	t := target{place: p}
	said, err := c.configured(ctx, p, c.configFile()...)
	if err != nil {
		return t, err
	}
	usual, err := c.configured(ctx, p, "-F", "none")
	if err != nil {
		return t, err
	}
	for name, why := range refused {
		if v := said[name]; len(v) > 0 && v[0] != "none" {
			return t, fmt.Errorf("host %s: ~/.ssh/config says %s, which is not honoured; %s", p, name, why)
		}
	}
	for name, v := range said {
		if !slices.Equal(v, usual[name]) && !slices.Contains(settled, name) && refused[name] == "" {
			t.notes = append(t.notes, name)
		}
	}
	slices.Sort(t.notes)
	one := func(name string) string { return strings.Join(said[name], " ") }
	t.user, t.addr = one("user"), net.JoinHostPort(one("hostname"), one("port"))
	if t.checked = t.addr; one("hostkeyalias") != "" {
		t.checked = aliased(one("hostkeyalias"))
	}
	t.own = !slices.Equal(said["identityfile"], usual["identityfile"])
	for _, file := range said["identityfile"] {
		t.keys = append(t.keys, c.expand(file, t))
	}
	t.onlyKeys = one("identitiesonly") == "yes"
	if c.Key != "" {
		t.keys, t.own, t.onlyKeys = []string{c.Key}, true, true
	}
	if t.agent = one("identityagent"); t.agent != "" && t.agent != "none" {
		t.agent = c.expand(t.agent, t)
	}
	t.known = strings.Fields(one("globalknownhostsfile"))
	if slices.Equal(said["userknownhostsfile"], usual["userknownhostsfile"]) {
		t.known = append(t.known, filepath.Join(c.Home, ".ssh", "known_hosts"), filepath.Join(c.Home, ".ssh", "known_hosts2"))
	} else {
		for _, file := range strings.Fields(one("userknownhostsfile")) {
			t.known = append(t.known, c.expand(file, t))
		}
	}
	if t.timeout = c.Patience; t.timeout <= 0 {
		t.timeout = 15 * time.Second
	}
	if n, err := strconv.Atoi(one("connecttimeout")); err == nil && n > 0 {
		t.timeout = time.Duration(n) * time.Second
	}
	if jumps := one("proxyjump"); jumps != "" && jumps != "none" {
		for _, text := range strings.Split(jumps, ",") {
			jump, err := Parse(strings.TrimPrefix(text, "ssh://"))
			if err != nil {
				return t, fmt.Errorf("host %s: ProxyJump %q in ~/.ssh/config %w", p, text, err)
			}
			t.jumps = append(t.jumps, jump)
		}
	}
	return t, nil
}

// aliased is what known_hosts is asked for by a HostKeyAlias, which is taken as it is written there: with a
// port it is like [host]:2222.
func aliased(alias string) string {
	if host, port, err := net.SplitHostPort(alias); err == nil && strings.HasPrefix(alias, "[") {
		return net.JoinHostPort(host, port)
	}
	return net.JoinHostPort(alias, "22")
}

// configFile names the captain's configuration where OpenSSH would not look: it goes by the
// user's entry in the password file, not by HOME.
func (c *Captain) configFile() []string {
	if home, err := accountHome(); err != nil || home == c.Home {
		return nil
	}
	file := filepath.Join(c.Home, ".ssh", "config")
	if _, err := os.Stat(file); err != nil {
		return []string{"-F", "none"}
	}
	return []string{"-F", file}
}

// configured returns all settings for a host, by name in lower case.
func (c *Captain) configured(ctx context.Context, p Place, args ...string) (map[string][]string, error) {
	args = append(slices.Clone(args), "-G")
	if p.User != "" {
		args = append(args, "-l", p.User)
	}
	if p.Port != 0 {
		args = append(args, "-p", strconv.Itoa(p.Port))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ssh", append(args, "--", p.Host)...)
	cmd.WaitDelay = time.Second
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("ssh is not installed here; it knows what ~/.ssh/config says of a host: install openssh-client")
	case ctx.Err() != nil:
		return nil, fmt.Errorf("host %s: read ~/.ssh/config: %w", p, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("host %s: read ~/.ssh/config: %s", p, Tidy(failed.String()))
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			name = strings.ToLower(name)
			all[name] = append(all[name], value)
		}
	}
	return all, nil
}

// expand replaces what OpenSSH replaces in the names of files.
func (c *Captain) expand(name string, t target) string {
	name = strings.Trim(name, `"`)
	if name == "~" || strings.HasPrefix(name, "~/") {
		name = c.Home + name[1:]
	}
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		return os.Getenv(strings.Trim(variable, "{}"))
	}
	host, port, _ := net.SplitHostPort(t.addr)
	me := ""
	if u, err := account(); err == nil {
		me = u.Username
	}
	return strings.NewReplacer("%%", "%", "%d", c.Home, "%h", host, "%n", t.place.Host, "%p", port, "%r", t.user, "%u", me).Replace(name)
}
