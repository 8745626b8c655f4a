package spritestest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// A real sprite reaches the internet. A fake one has its own network without a route out, so what a test lets it
// reach is forwarded: outside, a Unix socket in a directory that all sprites see connects to each of Options.Outside.
// Inside, Carry listens at the same addresses and connects to these sockets.

// outside is the directory with the sockets, by its path in sprites.
const outside = "/run/outside"

// lead opens the sockets, which connect all sprites to Options.Outside.
func (f *Fake) lead() error {
	dir := filepath.Join(f.root, "outside")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, addr := range f.options.Outside {
		l, err := net.Listen("unix", filepath.Join(dir, addr))
		if err != nil {
			return err
		}
		go carry(l, "tcp", addr)
		go func() { <-f.ended; l.Close() }()
	}
	return nil
}

// ways returns bubblewrap's arguments that show the sockets.
func (f *Fake) ways() ([]string, error) {
	if len(f.options.Outside) == 0 {
		return nil, nil
	}
	self, err := os.Executable()
	return []string{"--ro-bind", filepath.Join(f.root, "outside"), outside, "--ro-bind", self, "/run/carrier"}, err
}

// carrier starts Carry in a sandbox, and returns once it listens. It ends with the sandbox.
func (f *Fake) carrier(b *sandbox) error {
	if len(f.options.Outside) == 0 {
		return nil
	}
	session, closeAll, err := b.session()
	if err != nil {
		return err
	}
	out, err := session.StdoutPipe()
	if err == nil {
		err = session.Start("exec /run/carrier " + f.options.Carrier)
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		closeAll()
		return fmt.Errorf("the way out of a sprite: %w", err)
	}
	go func() { <-b.ended; closeAll() }()
	return nil
}

// Carry runs inside a sprite, when the test binary's argument is Options.Carrier.
func Carry() error {
	all, err := os.ReadDir(outside)
	if err != nil {
		return err
	}
	for _, e := range all {
		l, err := net.Listen("tcp", e.Name())
		if err != nil {
			return err
		}
		go carry(l, "unix", filepath.Join(outside, e.Name()))
	}
	fmt.Println("ready")
	select {}
}

// carry forwards all connections of a listener to an address.
func carry(l net.Listener, network, addr string) {
	for {
		near, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		go func() {
			defer near.Close()
			far, err := net.Dial(network, addr)
			if err != nil {
				return
			}
			defer far.Close()
			var both sync.WaitGroup
			for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
				both.Go(func() {
					_, _ = io.Copy(to, from)
					if half, ok := to.(interface{ CloseWrite() error }); ok {
						_ = half.CloseWrite()
					}
				})
			}
			both.Wait()
		}()
	}
}
