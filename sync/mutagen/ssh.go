package mutagen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/whole"
)

// Host is another machine and how ssh reaches it.
type Host struct {
	Name  string   // name for sessions: letters, digits, dots and dashes
	User  string   // user to log in as
	Keys  []string // host keys, each "TYPE KEY" as in authorized_keys
	Login string   // file of the private key to log in with
	Proxy []string // ProxyCommand: a command whose standard streams are connected to its SSH server
}

// sshDir is the directory of the ssh configuration, below the data directory.
const sshDir = "ssh"

func (h *Home) hosts() string { return filepath.Join(h.dir, sshDir, "hosts") }

// AddHost adds or replaces a host in the ssh configuration.
func (h *Home) AddHost(host Host) error {
	if !isName(host.Name) {
		return fmt.Errorf("mutagen: host %.80q: letters, digits, dots and dashes alone", host.Name)
	}
	var known strings.Builder
	for _, key := range host.Keys {
		fmt.Fprintf(&known, "%s %s\n", host.Name, key)
	}
	file := filepath.Join(h.hosts(), host.Name)
	if err := whole.Write(file+".keys", []byte(known.String()), 0o600); err != nil {
		return err
	}
	lines := []string{
		"Host " + host.Name, "HostKeyAlias " + host.Name, "User " + quoted(host.User), "ProxyCommand " + proxy(host.Proxy),
		"UserKnownHostsFile " + quoted(file+".keys"), "GlobalKnownHostsFile none", "StrictHostKeyChecking yes", "UpdateHostKeys no",
		"IdentityFile " + quoted(host.Login), "IdentitiesOnly yes", "IdentityAgent none", "PreferredAuthentications publickey", "BatchMode yes",
		"ForwardAgent no", "ClearAllForwardings yes", "LogLevel ERROR",
	}
	return whole.Write(file+".conf", []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// DropHost removes a host from the ssh configuration.
func (h *Home) DropHost(name string) {
	if isName(name) {
		_ = os.Remove(filepath.Join(h.hosts(), name+".conf"))
		_ = os.Remove(filepath.Join(h.hosts(), name+".keys"))
	}
}

// writeWrappers writes the scripts that Mutagen starts as ssh and scp. The scp script copies through ssh, since not
// every SSH server supports scp.
func (h *Home) writeWrappers() error {
	config := filepath.Join(h.dir, sshDir, "config")
	if err := whole.Write(config, []byte("Include "+quoted(h.hosts()+"/*.conf")+"\n"), 0o600); err != nil {
		return err
	}
	ssh := filepath.Join(h.dir, sshDir, "bin", "ssh")
	if err := whole.Write(ssh, []byte("#!/bin/sh\nPATH="+shellWord(os.Getenv("PATH"))+"\nexec ssh -F "+shellWord(config)+" \"$@\"\n"), 0o700); err != nil {
		return err
	}
	return whole.Write(filepath.Join(h.dir, sshDir, "bin", "scp"), []byte(`#!/bin/sh
# scp OPTION... FILE HOST:NAME
for to; do file=$next next=$to; done
exec `+shellWord(ssh)+` -C "${to%%:*}" "cat >'${to#*:}' && chmod 700 '${to#*:}'" <"$file"
`), 0o700)
}

func isName(s string) bool {
	return s != "" && len(s) <= 200 && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

// quoted quotes a value for the ssh configuration.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`%`, `%%`, `"`, `\"`, `\`, `\\`).Replace(s) + `"`
}

// proxy quotes a command for ProxyCommand: ssh expands % sequences and passes the rest to a shell.
func proxy(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = strings.ReplaceAll(shellWord(a), "%", "%%")
	}
	return strings.Join(words, " ")
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
