package mutagen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/whole"
)

// Host is another machine, and how ssh gets there.
type Host struct {
	Name  string   // letters, digits, dots and dashes; sessions name it by that
	User  string   // who logs in
	Keys  []string // of its SSH server, each a type and a key as in authorized_keys
	Login string   // file of the private key to log in with
	Proxy []string // command whose input and output lead to its SSH server
}

// sshDir has what ssh is started with, below the data directory.
const sshDir = "ssh"

func (h *Home) hosts() string { return filepath.Join(h.dir, sshDir, "hosts") }

// AddHost has sessions reach a host in that way from now on.
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

// DropHost undoes AddHost.
func (h *Home) DropHost(name string) {
	if isName(name) {
		_ = os.Remove(filepath.Join(h.hosts(), name+".conf"))
		_ = os.Remove(filepath.Join(h.hosts(), name+".keys"))
	}
}

// writeWrappers writes what Mutagen starts as ssh and scp. The second copies through the first: not every SSH server has what scp needs.
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

// quoted is a value of an option of ssh's.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`%`, `%%`, `"`, `\"`, `\`, `\\`).Replace(s) + `"`
}

// proxy is a command as ProxyCommand has it: ssh replaces what begins with % and gives the rest to a shell.
func proxy(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = strings.ReplaceAll(shellWord(a), "%", "%%")
	}
	return strings.Join(words, " ")
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
