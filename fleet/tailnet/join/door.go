package join

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/sync/whole"
)

// portFile is the file with the port of a door that is not at the default port.
const portFile = "port"

// startDoor makes sure that ocaptain's SSH server listens on loopback and accepts the hub's key. With some providers
// it is already running, with others it is started here.
func (b *berth) startDoor(ctx context.Context) (port int, hostKey string, err error) {
	if err := b.admitHub(); err != nil {
		return 0, "", err
	}
	key, err := sshd.StandingHostKey(b.home)
	if err != nil {
		return 0, "", fmt.Errorf("host key of the ship's SSH server: %w", err)
	}
	hostKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	port = sshd.StandingPort
	if raw, err := os.ReadFile(b.pathOf(portFile)); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && n > 0 && n < 1<<16 {
			port = n
		}
	}
	if err = listens(ctx, port, key); err == nil {
		return port, hostKey, nil
	}
	if !errors.Is(err, errOther) {
		if err = b.open(ctx, port, key); err == nil || ctx.Err() != nil {
			return port, hostKey, err
		}
	}
	if port, err = freePort(ctx); err != nil { // another program has the default port
		return 0, "", err
	}
	return port, hostKey, b.open(ctx, port, key)
}

// open starts the server at a port, and returns once it answers.
func (b *berth) open(ctx context.Context, port int, key ssh.PublicKey) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if err := whole.Write(b.pathOf(portFile), []byte(strconv.Itoa(port)+"\n"), 0o600); err != nil {
		return err
	}
	ended, err := b.startProgram("door", exe, "aboard", "standing-sshd", strconv.Itoa(port))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := listens(ctx, port, key)
		if err == nil {
			return nil
		}
		if e := b.moment(ctx, ended); e != nil {
			return fmt.Errorf("the ship's SSH server: %w: %w%s", e, err, b.lastOutput("door"))
		}
	}
}

// admitHub adds the hub's key to the authorized keys, unless it is there.
func (b *berth) admitHub() error {
	file := filepath.Join(b.home, sshd.StandingKeys)
	line := []byte(strings.TrimSpace(b.order.Authorized))
	if _, _, _, _, err := ssh.ParseAuthorizedKey(line); err != nil {
		return fmt.Errorf("who may log in: %w", err)
	}
	if raw, err := os.ReadFile(file); err == nil && bytes.Contains(raw, line) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return whole.Write(file, append(line, '\n'), 0o600)
}

// errOther means that another program listens at the port.
var errOther = errors.New("something else listens there")

// listens returns nil if the server with that host key listens at the port.
func listens(ctx context.Context, port int, key ssh.PublicKey) error {
	conn, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	same := false
	_, _, _, err = ssh.NewClientConn(conn, "", &ssh.ClientConfig{
		User: "nobody",
		HostKeyCallback: func(_ string, _ net.Addr, got ssh.PublicKey) error {
			same = bytes.Equal(got.Marshal(), key.Marshal())
			return errOther // ends the handshake, as the host key was seen
		},
	})
	if same {
		return nil
	}
	return fmt.Errorf("%w: %w", errOther, err)
}

// freePort returns an unused port.
func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
