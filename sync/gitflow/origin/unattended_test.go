package origin_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"

	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/nettest"
	"ocaptain/sync/synctest"
	"ocaptain/tasks/eventually"
)

// asSSH puts a script before ssh in PATH.
func asSSH(t *testing.T, name, script string) (path string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a b")
	path = filepath.Join(dir, name)
	synctest.Put(t, dir, name, "#!/bin/sh\n"+script)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return path
}

// TestUnattendedSSH has OpenSSH notice that the other side is gone when git works by itself, whatever command the captain has for it. Other
// programs do not get its options.
func TestUnattendedSSH(t *testing.T) {
	const gives = "-o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"
	said := filepath.Join(t.TempDir(), "said")
	ssh := asSSH(t, "ssh", `echo "$@" >`+said+"\n")
	plink := asSSH(t, "plink", `echo "$@" >`+said+"\n")
	for _, c := range []struct {
		name, config string
		env          string // NAME=VALUE
		want         string // how the arguments of the program begin
	}{
		{name: "default", want: gives},
		{name: "core.sshCommand", config: "ssh -4 -o ConnectTimeout=60", want: "-4 -o ConnectTimeout=60 " + gives},
		{name: "GIT_SSH_COMMAND", config: "false", env: "GIT_SSH_COMMAND='" + ssh + "' -6", want: "-6 " + gives},
		{name: "GIT_SSH", env: "GIT_SSH=" + ssh, want: gives},
		{name: "another program", env: "GIT_SSH=" + plink, want: "-P 22 host "},
		{name: "another command", config: "'" + plink + "' -4", want: "-4 -P 22 host "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.config != "" {
				synctest.Git(t, os.Getenv("HOME"), "config", "--global", "core.sshCommand", c.config)
				defer synctest.Git(t, os.Getenv("HOME"), "config", "--global", "--unset", "core.sshCommand")
			}
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			if _, err := origin.LookUp(t.Context(), "ssh://host:22/kite.git", "main", origin.Options{Silent: true}); err == nil {
				t.Error("it was found")
			}
			has, err := os.ReadFile(said)
			if err != nil || !strings.HasPrefix(string(has), c.want) {
				t.Errorf("ssh is run with %q, %v", has, err)
			}
		})
	}
	if _, err := origin.LookUp(t.Context(), "ssh://host:22/kite.git", "main", origin.Options{}); err == nil {
		t.Error("it was found")
	}
	if has, err := os.ReadFile(said); err != nil || strings.Contains(string(has), "Alive") {
		t.Errorf("with a captain who may be asked, ssh is run with %q, %v", has, err)
	}
}

// TestCut cuts git from a repository such that packets vanish, before it connects and while it waits for an answer. Git gives up by itself,
// and also a server that accepts a connection and says nothing.
func TestCut(t *testing.T) {
	network := nettest.New(t, 1)
	begun := filepath.Join(t.TempDir(), "begun")
	server := network.StartSSH(t, "ForceCommand case $SSH_ORIGINAL_COMMAND in true) ;; *) touch "+begun+"; exec sleep infinity;; esac")
	asSSH(t, "ssh", strings.Join(network.At(0), " ")+` /usr/bin/ssh "$@"`+"\n")
	t.Setenv("GIT_HTTP_LOW_SPEED_TIME", "1")
	t.Setenv("GIT_SSH_COMMAND", server.Client+" -o ServerAliveCountMax=1")
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	ctx := eventually.Context(t)
	var all stdsync.WaitGroup
	lookUp := func(source string) {
		all.Go(func() {
			if _, err := origin.LookUp(ctx, source, "main", origin.Options{Silent: true}); err == nil || context.Cause(ctx) != nil {
				t.Errorf("%s: %v", source, err)
			}
		})
	}
	lookUp("http://" + mute.Addr().String() + "/kite.git")
	lookUp(server.Address + "/kite.git")
	eventually.Holds(t, "the server is asked", func() bool { return exists(begun) })
	network.Cut(0)
	lookUp(server.Address + "/other.git")
	all.Wait()
}
