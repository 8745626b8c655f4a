package local_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

func linkConfig(p *local.Provider, m provider.Machine, signer ssh.Signer) link.Config {
	return link.Config{
		Name: m.Name, User: m.User, HostKey: m.HostKey, Signers: []ssh.Signer{signer},
		Dial: func(ctx context.Context) (net.Conn, error) { return p.Dial(ctx, m) },
	}
}

// The server must behave towards a link as OpenSSH does, or local ships would prove nothing.
func TestServerActsLikeOpenSSH(t *testing.T) {
	s := newShip(t, options(t, local.Never))
	ctx := soon(t)
	alive := func(pid string) bool {
		_, err := os.Stat("/proc/" + strings.TrimSpace(pid))
		return err == nil
	}

	t.Run("input ends before output", func(t *testing.T) {
		stream, err := s.Stream(ctx, link.Command{Argv: []string{"sh", "-c", "wc -c; echo end"}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(stream, strings.Repeat("x", 100_000))
		_ = stream.CloseWrite()
		out, err := io.ReadAll(stream)
		if string(out) != "100000\nend\n" || err != nil || stream.Wait() != nil {
			t.Errorf("got %q, %v", out, err)
		}
	})
	t.Run("output that nobody reads holds back its writer only", func(t *testing.T) {
		stream, err := s.Stream(ctx, link.Command{Argv: []string{"yes"}})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		if got := s.sh("echo hello"); got != "hello" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("cancelled commands end with their children", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		stream, err := s.Stream(ctx, link.Command{Argv: []string{"sh", "-c", "sleep 1000 & echo $!; wait"}})
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := bufio.NewReader(stream).ReadString('\n')
		if !alive(pid) {
			t.Fatal("it does not run")
		}
		cancel()
		eventually.Holds(t, "it has ended", func() bool { return !alive(pid) })
	})
	t.Run("a lost connection leaves commands alone and hangs up terminals", func(t *testing.T) {
		other, err := link.Open(s.config)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := other.Stream(ctx, link.Command{Argv: []string{"sh", "-c", "echo $$; exec sleep 1000"}})
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := bufio.NewReader(stream).ReadString('\n')
		pty, err := other.StartPty(ctx, link.Command{Argv: []string{"sh", "-c", "echo $$; exec sleep 1000"}}, link.Terminal{})
		if err != nil {
			t.Fatal(err)
		}
		onPty, _ := bufio.NewReader(pty).ReadString('\n')
		if !alive(pid) || !alive(onPty) {
			t.Fatalf("they do not run: %q %q", pid, onPty)
		}
		other.Close()
		eventually.Holds(t, "the one on the terminal has ended", func() bool { return !alive(onPty) })
		if !alive(pid) {
			t.Error("the other one has ended too")
		}
	})
	t.Run("a shell without command", func(t *testing.T) {
		pty, err := s.StartPty(ctx, link.Command{}, link.Terminal{Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(pty, "echo $((6*7)) $TERM; exit 4\r")
		out, _ := io.ReadAll(pty)
		if !strings.Contains(string(out), "42 xterm-256color") {
			t.Errorf("got %q", out)
		}
		if err := pty.Wait(); err == nil || !strings.Contains(err.Error(), "exit status 4") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a background process on the terminal does not keep it", func(t *testing.T) {
		pty, err := s.StartPty(ctx, link.Command{Argv: []string{"sh", "-c", "trap '' HUP; sleep 1000 & echo bye"}}, link.Terminal{})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := io.ReadAll(pty); string(out) != "bye\r\n" || err != nil || pty.Wait() != nil {
			t.Errorf("got %q, %v", out, err)
		}
	})
	t.Run("more calls than sessions", func(t *testing.T) {
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if r, err := s.Run(ctx, link.Command{Argv: []string{"echo", "hello"}}); err != nil || string(r.Stdout) != "hello\n" {
					t.Errorf("got %q, %v", r.Stdout, err)
				}
			})
		}
		all.Wait()
	})
	t.Run("forwards", func(t *testing.T) {
		socket := filepath.Join(s.options.Runtime, "echo")
		for network, addr := range map[string]string{"tcp": "127.0.0.1:0", "unix": socket} {
			listener, err := net.Listen(network, addr)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				if c, err := listener.Accept(); err == nil {
					_, _ = io.Copy(c, c)
					c.Close()
				}
			}()
			c, err := s.Dial(ctx, network, listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c, "echo")
			_ = c.(interface{ CloseWrite() error }).CloseWrite()
			if b, err := io.ReadAll(c); string(b) != "echo" || err != nil {
				t.Errorf("%s: got %q, %v", network, b, err)
			}
			c.Close()
		}
	})
}

// A ship's server that does not call local.Serve makes no ships, as each of these would make more.
func TestServerMakesNoShips(t *testing.T) {
	was := os.Args
	t.Cleanup(func() { os.Args = was })
	for started, args := range map[string][]string{"aboard sshd": nil, "serve-for-test": {"serve-for-test"}} {
		os.Args = append(was[:1:1], strings.Fields(started)...)
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "must call local.Serve") {
					t.Errorf("started with %q: it says %q", started, said)
				}
			}()
			_, _ = local.New(local.Options{Root: t.TempDir(), Args: args})
		}()
	}
}
