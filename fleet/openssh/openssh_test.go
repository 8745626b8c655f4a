package openssh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

// The test binary is also a ProxyCommand, and a program that logs in.
func TestMain(m *testing.M) {
	switch args := os.Args[1:]; {
	case len(args) == 2 && args[0] == "pipe":
		conn, err := net.Dial("tcp", args[1])
		if err != nil {
			os.Exit(1)
		}
		go func() { _, _ = io.Copy(conn, os.Stdin) }()
		_, _ = io.Copy(os.Stdout, conn)
	case len(args) == 4 && args[0] == "connect":
		c := &openssh.Captain{Home: args[1], Runtime: args[2]}
		if _, err := c.Connect(context.Background(), openssh.Place{Host: args[3]}); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println("connected")
		select {}
	default:
		goleak.VerifyTestMain(m)
	}
}

// captain is a Captain with hosts, and with a directory for sockets in which no login may leave anything.
type captain struct {
	*hoststest.Captain
	login *openssh.Captain
}

func newCaptain(t testing.TB) *captain {
	t.Helper()
	sockets, err := os.MkdirTemp("/tmp", "oc-") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	c := &captain{Captain: hoststest.NewCaptain(t, t.TempDir())}
	c.login = &openssh.Captain{Home: c.Home, Runtime: sockets}
	t.Cleanup(func() {
		c.none()
		if left, _ := os.ReadDir(sockets); len(left) > 0 {
			t.Errorf("left in %s: %v", sockets, left)
		}
		os.RemoveAll(sockets)
	})
	return c
}

// none checks that no ssh of the captain is running.
func (c *captain) none() {
	c.Helper()
	eventually.Holds(c, "no ssh is left", func() bool { return len(proctest.With(c.login.Runtime)) == 0 })
}

func soon(t testing.TB) context.Context {
	return eventually.Context(t)
}

// says runs a command at a place, in a connection, and returns its output.
func (c *captain) says(place, command string) (string, error) {
	c.Helper()
	conn, err := c.login.Connect(soon(c), openssh.Place{Host: place})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var out strings.Builder
	_, err = conn.Run(soon(c), command, nil, &out)
	return out.String(), err
}

// write writes a file in the captain's .ssh, and returns its path.
func (c *captain) write(name, text string) string {
	c.Helper()
	file := filepath.Join(c.Home, ".ssh", name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	return file
}

func (c *captain) keygen(args ...string) {
	c.Helper()
	if out, err := exec.Command("ssh-keygen", append([]string{"-q"}, args...)...).CombinedOutput(); err != nil {
		c.Fatalf("ssh-keygen: %v: %s", err, out)
	}
}

// What works with ssh in the captain's shell works here too.
func TestWhateverSSHDoes(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, configure := range map[string]func(c *captain){
		"ProxyCommand": func(c *captain) {
			addr := c.Start("there", nil).Addr
			c.Configure("Host quay\n  HostName 203.0.113.1\n  HostKeyAlias quay\n  IdentityFile " + c.Key + "\n  UserKnownHostsFile " + c.Home + "/.ssh/known_hosts\n  ProxyCommand " + exe + " pipe " + addr + "\n")
			raw, err := os.ReadFile(c.Home + "/.ssh/known_hosts")
			if err != nil {
				c.Fatal(err)
			}
			_, key, _ := strings.Cut(string(raw), " ")
			c.write("known_hosts", "quay "+key)
		},
		"certificate": func(c *captain) {
			ca := filepath.Join(c.Home, "ca")
			c.keygen("-t", "ed25519", "-N", "", "-f", ca)
			h := c.Start("quay", nil, "TrustedUserCAKeys "+ca+".pub")
			h.LetsNobodyIn() // accept only a key together with something else
			if _, err := c.says("quay", "true"); !errors.As(err, new(*openssh.Denied)) {
				c.Errorf("without a certificate: %v", err)
			}
			c.keygen("-s", ca, "-I", "ada", "-n", user(c), c.Key+".pub")
		},
		"KnownHostsCommand": func(c *captain) {
			c.Start("quay", []string{"KnownHostsCommand /bin/cat " + c.Home + "/known"})
			if err := os.Rename(c.Home+"/.ssh/known_hosts", c.Home+"/known"); err != nil {
				c.Fatal(err)
			}
		},
		"Match and Include": func(c *captain) {
			h := c.Start("there", nil)
			_, port, _ := net.SplitHostPort(h.Addr)
			c.write("config", "Include "+c.write("more", "Match host quay exec \"test %n = quay\"\n  HostName 127.0.0.1\n  Port "+port+"\n  IdentityFile "+c.Key+"\n  UserKnownHostsFile "+c.Home+"/.ssh/known_hosts\n")+"\n")
		},
		"what a program has no use for": func(c *captain) {
			c.Start("quay", []string{
				"RemoteCommand exit 3", "RequestTTY force", "LocalForward 127.0.0.1:1 127.0.0.1:1", "ExitOnForwardFailure yes", "LogLevel QUIET",
				"ControlMaster auto", "ControlPath " + c.Home + "/master-%n", "ControlPersist yes", "PermitLocalCommand yes", "LocalCommand touch " + c.Home + "/touched",
			})
			c.Cleanup(func() {
				for _, name := range []string{"master-quay", "touched"} {
					if _, err := os.Lstat(filepath.Join(c.Home, name)); err == nil {
						c.Errorf("%s was made", name)
					}
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCaptain(t)
			configure(c)
			if out, err := c.says("quay", "echo hello"); out != "hello\n" || err != nil {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}

func user(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("id", "-un").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The end of a command is told from the end of ssh. A login that breaks in the middle is a temporary error.
func TestEndings(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	h := c.Start("quay", nil)
	conn, err := c.login.Connect(soon(t), openssh.Place{Host: "quay"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var exit *exec.ExitError
	said, err := conn.Run(soon(t), "echo sorry >&2; exit 3", nil, io.Discard)
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.HasSuffix(said, "sorry\n") {
		t.Errorf("%q, %v", said, err)
	}
	ended := make(chan error, 1)
	out := &first{came: make(chan struct{})}
	go func() {
		_, err := conn.Run(soon(t), "echo; sleep 600", nil, out)
		ended <- err
	}()
	<-out.came
	h.Cut()
	var later *provider.Temporary
	if err := <-ended; !errors.As(err, &later) {
		t.Errorf("cut: %v", err)
	}
	c.Configure("Host *\n  Nonsense yes\n")
	if _, err := c.says("quay", "true"); err == nil || errors.As(err, &later) || !strings.Contains(err.Error(), "read ~/.ssh/config") {
		t.Errorf("a configuration that cannot be read: %v", err)
	}
}

// first is a writer that signals its first write.
type first struct{ came chan struct{} }

func (f *first) Write(p []byte) (int, error) {
	close(f.came)
	return len(p), nil
}

// A login that is given up leaves no process, in whatever state it is; logins to hosts on the way end, too.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	quay := c.Start("quay", nil)
	c.Start("pier", []string{"ProxyJump quay"})
	quay.Freeze()
	defer quay.Thaw()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.login.Connect(ctx, openssh.Place{Host: "pier"})
		ended <- err
	}()
	eventually.Holds(t, "ssh is on the way", func() bool {
		return slices.ContainsFunc(proctest.With(c.Home), func(p string) bool { return strings.Contains(p, " -W ") })
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually.Holds(t, "no ssh is left", func() bool {
		for _, p := range proctest.With(c.Home) {
			if strings.Contains(p, " ssh ") {
				return false
			}
		}
		return true
	})
}

// A connection ends with the process that made it, even if that is killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.Start("quay", nil)
	cmd, out := c.apart("quay")
	if line := readLine(t, out); line != "connected" {
		t.Fatal(line)
	}
	if len(proctest.With(c.login.Runtime)) < 2 {
		t.Error("no ssh")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	c.none()
}

// apart logs in from a process that has a terminal.
func (c *captain) apart(place string) (*exec.Cmd, *os.File) {
	c.Helper()
	cmd := exec.Command(os.Args[0], "connect", c.Home, c.login.Runtime, place)
	tty, err := pty.Start(cmd)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		tty.Close()
	})
	return cmd, tty
}

// readLine reads a line from a terminal.
func readLine(t testing.TB, r io.Reader) string {
	t.Helper()
	var line []byte
	for one := make([]byte, 1); ; {
		if _, err := r.Read(one); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		if one[0] == '\n' {
			return strings.TrimSpace(string(line))
		}
		line = append(line, one[0])
	}
}

// The ssh for a jump host, which does not get BatchMode, asks no question at the terminal either.
func TestNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(c *captain){
		"a key of a host":  func(c *captain) { c.Forget() },
		"a passphrase":     func(c *captain) { hoststest.NewKey(c, c.Key, "secret words") },
		"the first of two": func(c *captain) { c.Configure("Host *\n  NumberOfPasswordPrompts 3\n"); c.Forget() },
	} {
		c := newCaptain(t)
		c.Start("quay", nil)
		c.Start("pier", []string{"ProxyJump quay"})
		spoil(c)
		for _, place := range []string{"quay", "pier"} {
			cmd, out := c.apart(place)
			if line := readLine(t, out); !strings.HasPrefix(line, "failed:") {
				t.Errorf("%s: %s: %q", name, place, line)
			}
			_ = cmd.Wait()
		}
	}
}

// A host cannot make ssh expand anything in the name of a socket that it reports.
func TestSocketNames(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.Start("quay", nil)
	conn, err := c.login.Connect(soon(t), openssh.Place{Host: "quay"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, name := range []string{"", "relative", "/tmp/${HOME}", "/tmp/%d", "/a:/b", "/a b", "/a\nb", "/a\\b", "/[a]"} {
		if raw, err := conn.Dial(soon(t), name); err == nil || !strings.Contains(err.Error(), "no socket can be at") {
			t.Errorf("%q: %v, %v", name, raw, err)
		}
	}
}

// Processes share a kept connection. When it has ended, the next use makes a new one.
func TestKept(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	h := c.Start("quay", nil)
	other := &openssh.Captain{Home: c.Home, Runtime: c.login.Runtime}
	one, two := c.login.KeptConnection(openssh.Place{Host: "quay"}, "kept"), other.KeptConnection(openssh.Place{Host: "quay"}, "kept")
	ctx, cancel := context.WithCancel(soon(t))
	if err := one.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	cancel() // the connection stays all the same
	for _, k := range []*openssh.Kept{one, two} {
		var out strings.Builder
		if _, err := k.Run(soon(t), "echo hello", nil, &out); out.String() != "hello\n" || err != nil || !k.IsUp() {
			t.Errorf("%q, %v", out.String(), err)
		}
	}
	if n := strings.Count(h.Log(), "Accepted publickey"); n != 1 {
		t.Errorf("%d logins", n)
	}
	h.Cut()
	eventually.Holds(t, "it is gone", func() bool { return !two.IsUp() })
	if _, err := two.Run(soon(t), "true", nil, io.Discard); err == nil {
		t.Error("it has connected by itself")
	}
	if err := two.Connect(soon(t)); err != nil {
		t.Error(err)
	}
	one.Close()
	if two.IsUp() {
		t.Error("it is still there")
	}
}
