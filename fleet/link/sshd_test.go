package link_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a private OpenSSH server on loopback.
type server struct {
	addr    string
	key     ssh.Signer // the key that may log in
	keyFile string     // the file with its private half
	hostKey string
}

// startSSHD runs the system's sshd with its own configuration until the test ends.
func startSSHD(t testing.TB, options ...string) *server {
	t.Helper()
	if os.Getuid() == 0 {
		// sshd demands this directory when root runs it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	host := newKey(t, filepath.Join(dir, "host"))
	keyFile := filepath.Join(dir, "client")
	key := newKey(t, keyFile)
	authorized := filepath.Join(dir, "authorized")
	if err := os.WriteFile(authorized, ssh.MarshalAuthorizedKey(key.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{addr: freeAddr(t), key: key, keyFile: keyFile, hostKey: string(ssh.MarshalAuthorizedKey(host.PublicKey()))}
	_, port, _ := net.SplitHostPort(s.addr)
	config := filepath.Join(dir, "config")
	// Use a home without startup files, as those of the user who runs the tests may wait for what a killed shell has
	// left.
	lines := append(options, "SetEnv HOME="+dir,
		"Port "+port, "ListenAddress 127.0.0.1", "HostKey "+filepath.Join(dir, "host"), "AuthorizedKeysFile "+authorized,
		"StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin prohibit-password", "MaxStartups 100")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", config)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start sshd (package openssh-server): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", log.String())
		}
	})
	eventually.Holds(t, "sshd answers", func() bool {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return s
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// newKey makes a key. It writes the private half to a file, unless file is "".
func newKey(t testing.TB, file string) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if file != "" {
		block, err := ssh.MarshalPrivateKey(private, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func (s *server) config() link.Config {
	me, err := user.Current()
	if err != nil {
		panic(err)
	}
	return link.Config{
		Name:    "ship-0",
		User:    me.Username,
		Signers: []ssh.Signer{s.key},
		HostKey: s.hostKey,
		Dial: func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", s.addr)
		},
		RetryMin: 10 * time.Millisecond,
		RetryMax: 100 * time.Millisecond,
	}
}

func open(t testing.TB, cfg link.Config) *link.Link {
	t.Helper()
	l, err := link.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// openReady opens a link to a private sshd and waits until it is connected.
func openReady(t testing.TB, options ...string) *link.Link {
	t.Helper()
	l := open(t, startSSHD(t, options...).config())
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	return l
}

// soon returns a context for an operation that must not take long.
func soon(t testing.TB) context.Context {
	return eventually.Context(t)
}

// wire is a network between link and server that a test can cut or make silent.
type wire struct {
	to     string
	mu     sync.Mutex
	conns  []net.Conn
	frozen chan struct{} // closed when no data passes any more
	dials  int
	open   atomic.Int64 // number of open connections
	heard  atomic.Int64 // number of pieces of data from the server
}

func newWire(to string) *wire { return &wire{to: to, frozen: make(chan struct{})} }

func (w *wire) dial(ctx context.Context) (net.Conn, error) {
	w.mu.Lock()
	to := w.to
	w.dials++
	w.mu.Unlock()
	far, err := new(net.Dialer).DialContext(ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	near, ours := net.Pipe()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, far, ours)
	w.open.Add(1)
	go func() {
		w.pass(far, ours, new(atomic.Int64))
		w.open.Add(-1)
	}()
	go w.pass(ours, far, &w.heard)
	return near, nil
}

// pass copies the data of one side, and counts the pieces.
func (w *wire) pass(to, from net.Conn, pieces *atomic.Int64) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		select {
		case <-w.frozen:
			_, _ = io.Copy(io.Discard, from)
			return
		default:
		}
		if err != nil {
			return
		}
		pieces.Add(1)
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// cut closes all connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *wire) dialled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials
}

func sh(script string, args ...string) link.Command {
	return link.Command{Argv: append([]string{"sh", "-c", script, "sh"}, args...)}
}

func alive(pid string) bool {
	err := exec.Command("kill", "-0", strings.TrimSpace(pid)).Run()
	if err != nil {
		return false
	}
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(pid)).Output()
	return !strings.HasPrefix(string(out), "Z")
}

func unique(t testing.TB, name string) string {
	return filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d", name, os.Getpid()))
}
