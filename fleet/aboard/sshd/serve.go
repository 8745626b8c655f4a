// Package sshd is the SSH server of a ship on a machine that has none.
package sshd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/process"
)

// Config holds the settings of a ship's SSH server, which it reads from standard input.
type Config struct {
	PrivateKey    string `json:"privateKey"`
	AuthorizedKey string `json:"authorizedKey"`
	Adopt         bool   `json:"adopt"`     // reap orphaned processes, as no other process does
	Scoped        bool   `json:"scoped"`    // keep the ship's processes from abstract sockets of others
	Processes     int    `json:"processes"` // the most processes that the ship may have; 0 for no limit
	Filter        []byte `json:"filter"`    // a seccomp filter that keeps the ship's processes from making user namespaces; empty for none
}

// Limits on what a server accepts at the same time.
const (
	maxConns     = 64
	maxSessions  = 10 // per connection, as in OpenSSH
	handshakeMax = 30 * time.Second
)

// Serve runs the SSH server of one ship. Descriptor 3 is the listening socket, and standard input has the configuration. It lets in one key, runs
// commands in its own environment, and behaves as OpenSSH does. With the variable OwnHome it first becomes the user who owns HOME. It stops when
// ctx ends.
func Serve(ctx context.Context) error {
	if os.Getenv(OwnHome) != "" {
		if err := mountNestProc(); err != nil {
			return err
		}
		if err := becomeOwner(os.Getenv("HOME")); err != nil {
			return err
		}
	}
	var config Config
	if err := json.NewDecoder(io.LimitReader(os.Stdin, 1<<20)).Decode(&config); err != nil {
		return fmt.Errorf("read the configuration of the ship's SSH server: %w", err)
	}
	os.Stdin.Close()
	inherited := os.NewFile(3, "listener")
	listener, err := net.FileListener(inherited)
	if err != nil {
		return fmt.Errorf("listening socket of the ship's SSH server: %w", err)
	}
	inherited.Close()      // otherwise the ship's processes would inherit it
	syscall.CloseOnExec(5) // if descriptor 5 is open, closing it ends the ship's network
	authorized, _, _, _, err := ssh.ParseAuthorizedKey([]byte(config.AuthorizedKey))
	if err != nil {
		return fmt.Errorf("authorized key of the ship's SSH server: %w", err)
	}
	s, err := newServer([]byte(config.PrivateKey), func(key ssh.PublicKey) bool {
		return bytes.Equal(key.Marshal(), authorized.Marshal())
	})
	if err != nil {
		return err
	}
	offerToEnd()
	if config.Processes > 0 {
		if err := s.children.limitProcesses(config.Processes); err != nil {
			return fmt.Errorf("bound the ship's processes: %w", err)
		}
	}
	if err := s.children.restrict(config.Scoped, config.Filter); err != nil {
		return fmt.Errorf("restrict the ship's processes: %w", err)
	}
	if config.Adopt {
		if err := process.AdoptOrphans(); err != nil {
			return fmt.Errorf("adopt the ship's orphaned processes: %w", err)
		}
		go s.children.reapAdopted(ctx)
	}
	return s.serve(ctx, listener)
}

type server struct {
	config   *ssh.ServerConfig
	children *children
}

func newServer(private []byte, letIn func(ssh.PublicKey) bool) (*server, error) {
	hostKey, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("host key of the ship's SSH server: %w", err)
	}
	s := &server{children: newChildren()}
	s.config = &ssh.ServerConfig{
		MaxAuthTries: 6,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !letIn(key) {
				return nil, errors.New("not the key of this ship")
			}
			return &ssh.Permissions{}, nil
		},
	}
	s.config.AddHostKey(hostKey)
	return s, nil
}

// serve accepts connections until ctx ends. Commands that it has started go on, as they do when OpenSSH is stopped.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	room := make(chan struct{}, maxConns)
	var conns sync.WaitGroup
	defer conns.Wait()
	defer cancel()
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the ship's SSH server: %w", err)
		}
		select {
		case room <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		conns.Go(func() {
			defer func() { <-room }()
			s.connection(ctx, conn)
		})
	}
}

func (s *server) connection(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(handshakeMax))
	sc, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	go ssh.DiscardRequests(requests)
	room := make(chan struct{}, maxSessions)
	for offered := range channels {
		switch offered.ChannelType() {
		case "session":
			select {
			case room <- struct{}{}:
				go s.session(offered, room)
			default:
				_ = offered.Reject(ssh.ConnectionFailed, "open failed")
			}
		case "direct-tcpip", "direct-streamlocal@openssh.com":
			go forward(ctx, offered)
		default:
			_ = offered.Reject(ssh.UnknownChannelType, "unknown channel type")
		}
	}
	_ = sc.Wait()
}
