package nettest

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks/eventually"
)

const sshPort = "2222"

// SSH is an SSH server among the servers, where the user who runs the test may log in.
type SSH struct {
	Address string // of this machine's root directory, for git
	Client  string // command of a shell that is ssh with the key of the server
}

// StartSSH starts an SSH server that runs until the test ends. options are lines of its configuration.
func (w *Network) StartSSH(t testing.TB, options ...string) SSH {
	t.Helper()
	who, err := user.Current()
	if err == nil && os.Getuid() == 0 { // sshd wants this directory when root runs it
		err = os.MkdirAll("/run/sshd", 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"host", "login"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", at(name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	hostKey, err := os.ReadFile(at("host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	lines := append(options, "SetEnv HOME="+dir, "Port "+sshPort, "ListenAddress "+Servers, "HostKey "+at("host"), "AuthorizedKeysFile "+at("login.pub"),
		"StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin prohibit-password", "MaxStartups 100")
	for name, text := range map[string]string{
		"known": "[" + Servers + "]:" + sshPort + " " + string(hostKey), "config": strings.Join(lines, "\n") + "\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(at("log")) // a file and no pipe, as logins hold it open longer than the server lives
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	argv := append(w.AtServers(), "/usr/sbin/sshd", "-D", "-e", "-f", at("config"))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start sshd (package openssh-server): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if said, _ := os.ReadFile(at("log")); t.Failed() {
			t.Logf("sshd: %s", said[max(0, len(said)-4000):])
		}
	})
	s := SSH{
		Address: "ssh://" + who.Username + "@" + Servers + ":" + sshPort,
		Client:  "ssh -F none -i " + at("login") + " -o IdentitiesOnly=yes -o UserKnownHostsFile=" + at("known"),
	}
	eventually.Succeeds(t, "sshd answers", func() error {
		look := append(w.AtServers(), "ssh-keyscan", "-p", sshPort, Servers)
		return exec.Command(look[0], look[1:]...).Run()
	})
	return s
}
