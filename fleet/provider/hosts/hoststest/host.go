// Package hoststest runs hosts for tests as a captain may own them: OpenSSH servers on loopback, each with a home
// directory, and a captain whose .ssh directory knows them.
package hoststest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"ocaptain/tasks/eventually"
)

// Captain is a user with a .ssh directory.
type Captain struct {
	testing.TB
	Home string
	Key  string // file of a private key that hosts accept

	// Root is the directory in which hosts are made. Default: each host gets a temporary one.
	Root string
	// Walled runs each host in bubblewrap with its own processes, /tmp and /run, as on a separate machine. When such a
	// host halts, all its processes end.
	Walled bool
	Shared []string // directories that walled hosts can read although they are hidden
	// Env is the environment of every login.
	Env map[string]string

	mu sync.Mutex
}

// NewCaptain makes a captain with a key in home, and without hosts.
func NewCaptain(t testing.TB, home string) *Captain {
	t.Helper()
	c := &Captain{TB: t, Home: home, Key: filepath.Join(home, ".ssh", "id_ships")}
	if err := os.MkdirAll(filepath.Dir(c.Key), 0o700); err != nil {
		t.Fatal(err)
	}
	NewKey(t, c.Key, "")
	c.Configure("")
	return c
}

// Configure adds lines to the captain's ~/.ssh/config.
func (c *Captain) Configure(lines string) { c.append("config", lines) }

// Knows adds a host key to the captain's known_hosts.
func (c *Captain) Knows(addr string, key ssh.PublicKey) {
	c.append("known_hosts", knownhosts.Line([]string{knownhosts.Normalize(addr)}, key)+"\n")
}

// Forget empties the captain's known_hosts.
func (c *Captain) Forget() {
	if err := os.Remove(filepath.Join(c.Home, ".ssh", "known_hosts")); err != nil {
		c.Fatal(err)
	}
}

func (c *Captain) append(name, text string) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(c.Home, ".ssh", name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		c.Fatal(err)
	}
}

// Agent starts an ssh-agent that holds the captain's key, removes the key's file, and returns the agent's socket.
func (c *Captain) Agent() string {
	c.Helper()
	dir, err := os.MkdirTemp("/tmp", "oc-agent-")
	if err != nil {
		c.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := cmd.Start(); err != nil {
		c.Fatalf("start ssh-agent (package openssh-client): %v", err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		os.RemoveAll(dir)
	})
	eventually.Holds(c, "the agent answers", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	add := exec.Command("ssh-add", "-q", c.Key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	if out, err := add.CombinedOutput(); err != nil {
		c.Fatalf("ssh-add: %v: %s", err, out)
	}
	for _, file := range []string{c.Key, c.Key + ".pub"} {
		if err := os.Remove(file); err != nil {
			c.Fatal(err)
		}
	}
	return socket
}

// Host is a machine with an SSH server.
type Host struct {
	Name string // its name in the captain's ~/.ssh/config
	Home string
	Addr string
	Key  ssh.PublicKey // public host key

	// Small makes the home a disk of two megabytes at the next Boot. As only root can mount one, other users get a limit
	// of that size on files.
	Small bool

	t       testing.TB
	dir     string
	runtime string // the user's runtime directory there, as paths of homes are too long for sockets
	walled  bool
	shared  []string
	power   sync.Mutex // held while the host boots or halts, as both its user and the end of the test may do that
	cmd     *exec.Cmd  // the SSH server; nil while the host is halted
}

// Start starts a host that the captain knows by name and can log in to, until the test ends. config are lines for the
// captain's ssh configuration of it, options lines of its sshd_config.
func (c *Captain) Start(name string, config []string, options ...string) *Host {
	c.Helper()
	if os.Getuid() == 0 {
		// sshd demands this directory when root runs it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			c.Fatal(err)
		}
	}
	dir, err := c.berth(name)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &Host{Name: name, Home: filepath.Join(dir, "home"), t: c, dir: dir, walled: c.Walled, shared: c.Shared}
	if err := os.Mkdir(h.Home, 0o700); err != nil {
		c.Fatal(err)
	}
	if h.runtime = "/run/user/" + strconv.Itoa(os.Getuid()); !c.Walled {
		if h.runtime, err = os.MkdirTemp("/tmp", "oc-run-"); err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { _ = os.RemoveAll(h.runtime) })
	}
	public, err := os.ReadFile(c.Key + ".pub")
	if err != nil {
		c.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.Fatal(err)
	}
	h.Addr = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(h.Addr)
	h.write("authorized", string(public))
	h.write("config", strings.Join(append(options,
		"Port "+port, "ListenAddress 127.0.0.1", "HostKey "+dir+"/host", "AuthorizedKeysFile "+dir+"/authorized",
		"KexAlgorithms curve25519-sha256", // the default costs ssh a third of a test's time
		"StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin prohibit-password", "MaxStartups 100", "PrintMotd no", "PrintLastLog no",
		"LogLevel DEBUG1", "SetEnv "+strings.Join(c.environ(h), " "),
	), "\n")+"\n")
	h.Rekey()
	c.Knows(h.Addr, h.Key)
	block := []string{"Host " + name, "HostName 127.0.0.1", "Port " + port, "IdentityFile " + c.Key, "UserKnownHostsFile " + filepath.Join(c.Home, ".ssh", "known_hosts")}
	c.Configure(strings.Join(append(block, config...), "\n  ") + "\n")
	h.Boot()
	c.Cleanup(func() {
		h.Halt()
		if c.Failed() {
			c.Logf("sshd of %s: %s", name, tail(h.Log()))
		}
	})
	return h
}

// berth makes the directory of a host.
func (c *Captain) berth(name string) (string, error) {
	if c.Root == "" {
		return os.MkdirTemp("/tmp", "oc-"+name+"-")
	}
	dir := filepath.Join(c.Root, name)
	return dir, os.Mkdir(dir, 0o700)
}

// environ returns the environment of a login. In a race test its GORACE makes commands end without the usual delay of
// a second.
func (c *Captain) environ(h *Host) []string {
	all := []string{"HOME=" + h.Home, "XDG_RUNTIME_DIR=" + h.runtime, "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0"}
	for name, value := range c.Env {
		all = append(all, name+"="+value)
	}
	return all
}

func (h *Host) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// Boot starts the SSH server.
func (h *Host) Boot() {
	h.t.Helper()
	h.power.Lock()
	defer h.power.Unlock()
	argv := []string{"/usr/sbin/sshd", "-D", "-e", "-f", filepath.Join(h.dir, "config")}
	if h.walled {
		argv = append(h.walls(), argv...)
	}
	if h.Small {
		script := `ulimit -f 4096; exec "$@"`
		if os.Getuid() == 0 {
			script = "mount -t tmpfs -o size=2m none '" + h.Home + `' && exec "$@"`
			argv = append([]string{"unshare", "-m", "sh", "-c", script, "boot"}, argv...)
		} else {
			argv = append([]string{"sh", "-c", script, "boot"}, argv...)
		}
	}
	h.cmd = exec.Command(argv[0], argv[1:]...)
	log, err := os.OpenFile(filepath.Join(h.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	defer log.Close()
	h.cmd.Stderr = log // a file and no pipe, as logins hold it open longer than the server lives
	if err := h.cmd.Start(); err != nil {
		h.t.Fatalf("start sshd (package openssh-server): %v", err)
	}
	eventually.Holds(h.t, "sshd answers", func() bool {
		c, err := net.Dial("tcp", h.Addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// Halt stops the SSH server and all connections. Processes that they have started go on, unless the host is walled.
func (h *Host) Halt() {
	h.power.Lock()
	defer h.power.Unlock()
	if h.cmd == nil {
		return
	}
	h.Cut()
	_ = h.cmd.Process.Kill()
	defer h.Cut()
	_ = h.cmd.Wait()
	h.cmd = nil
	if h.walled {
		h.kill(h.dir)
	}
}

// Scrap halts the host and removes its files.
func (h *Host) Scrap() error {
	h.Halt()
	return os.RemoveAll(h.dir)
}

// Unmount moves the home away, as if its disk were not mounted. Processes there go on.
func (h *Host) Unmount() {
	h.t.Helper()
	if err := errors.Join(os.Rename(h.Home, h.Home+"-away"), os.Mkdir(h.Home, 0o700)); err != nil {
		h.t.Fatal(err)
	}
}

// Mount moves the home back.
func (h *Host) Mount() {
	h.t.Helper()
	if err := errors.Join(os.RemoveAll(h.Home), os.Rename(h.Home+"-away", h.Home)); err != nil {
		h.t.Fatal(err)
	}
}

// Freeze stops the SSH server and all its connections with SIGSTOP.
func (h *Host) Freeze() {
	for _, p := range append(h.sessions(), h.cmd.Process) {
		_ = p.Signal(syscall.SIGSTOP)
	}
}

// Thaw continues what Freeze has stopped.
func (h *Host) Thaw() {
	for _, p := range append(h.sessions(), h.cmd.Process) {
		_ = p.Signal(syscall.SIGCONT)
	}
}

// Cut ends all connections to the host.
func (h *Host) Cut() {
	for _, p := range h.sessions() {
		_ = p.Kill()
	}
}

// sessions returns the SSH server's processes that each serve a connection.
func (h *Host) sessions() []*os.Process {
	var found []*os.Process
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		stat, _ := os.ReadFile(name)
		var state string
		var parent, pid int
		if i := bytes.LastIndexByte(stat, ')'); i > 0 {
			_, _ = fmt.Sscan(string(stat[i+1:]), &state, &parent)
		}
		if _, err := fmt.Sscan(string(stat), &pid); err != nil || h.cmd == nil || parent != h.cmd.Process.Pid {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}

// Rekey gives the host another host key at the next Boot.
func (h *Host) Rekey() { h.Key = NewKey(h.t, filepath.Join(h.dir, "host"), "") }

// LetsNobodyIn makes the host refuse every key, until undo is called.
func (h *Host) LetsNobodyIn() (undo func()) {
	h.t.Helper()
	keys, err := os.ReadFile(filepath.Join(h.dir, "authorized"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("authorized", "")
	return func() { h.write("authorized", string(keys)) }
}

// Pid returns the process id of the SSH server.
func (h *Host) Pid() int { return h.cmd.Process.Pid }

// Log returns the log of the SSH server.
func (h *Host) Log() string {
	raw, _ := os.ReadFile(filepath.Join(h.dir, "log"))
	return string(raw)
}

// Ships returns the directory of the ships on the host.
func (h *Host) Ships() string { return filepath.Join(h.Home, ".local", "share", "ocaptain", "hosted") }

// NewKey makes a key pair, and returns the public key. The passphrase encrypts the private one, unless it is "".
func NewKey(t testing.TB, file, passphrase string) ssh.PublicKey {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	return signer.PublicKey()
}

func tail(text string) string { return text[max(0, len(text)-3000):] }
