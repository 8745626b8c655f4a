package exedevtest

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/ssh"
)

// serveMachine is the SSH server in front of machines: it lets in the keys of the account, and forwards everything to
// the machine. If m is nil, the user names the machine.
func (f *Fake) serveMachine(conn net.Conn, m *machine) {
	host := f.host
	if m != nil {
		host = m.show
	}
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			f.mu.Lock()
			known := f.keys[ssh.FingerprintSHA256(key)] != nil
			f.mu.Unlock()
			to := m
			if to == nil {
				name, _ := strings.CutPrefix(meta.User(), "vm+")
				to = f.behind(name)
			}
			if !known || to == nil || m != nil && meta.User() != to.user {
				return nil, errors.New("not let in")
			}
			return &ssh.Permissions{Extensions: map[string]string{"vm": to.name}}, nil
		},
	}
	config.AddHostKey(host)
	sc, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	defer sc.Close()
	go ssh.DiscardRequests(requests)
	to := f.machine(sc.Permissions.Extensions["vm"])
	if to == nil || f.shut.Load() {
		return
	}
	f.entered.Add(1)
	inner, err := f.open(to)
	if err != nil {
		return
	}
	defer inner.Close()
	go func() {
		_ = inner.Wait()
		sc.Close()
	}()
	var all sync.WaitGroup
	for offered := range channels {
		all.Go(func() { hand(offered, inner) })
	}
	inner.Close()
	all.Wait()
}

// Gate lets logins to machines in. Its zero value is open.
type Gate struct {
	shut    atomic.Bool
	entered atomic.Int32
}

// Shut makes machines refuse new logins; existing connections stay.
func (g *Gate) Shut() { g.shut.Store(true) }

// Entered returns how many logins to machines have succeeded.
func (g *Gate) Entered() int { return int(g.entered.Load()) }

// hand connects a channel to a new channel of the same kind on the machine itself.
func hand(offered ssh.NewChannel, inner *ssh.Client) {
	down, fromDown, err := inner.OpenChannel(offered.ChannelType(), offered.ExtraData())
	if err != nil {
		reason, text := ssh.ConnectionFailed, err.Error()
		var refused *ssh.OpenChannelError
		if errors.As(err, &refused) {
			reason, text = refused.Reason, refused.Message
		}
		_ = offered.Reject(reason, text)
		return
	}
	defer down.Close()
	up, fromUp, err := offered.Accept()
	if err != nil {
		return
	}
	defer up.Close()
	go func() {
		_, _ = io.Copy(down, up)
		_ = down.CloseWrite()
	}()
	var asking sync.Mutex // held until a request is answered
	go func() {
		repeat(fromUp, down, &asking)
		down.Close() // the client has left
	}()
	var printed sync.WaitGroup
	printed.Go(func() { _, _ = io.Copy(up.Stderr(), down.Stderr()) })
	printed.Go(func() { _, _ = io.Copy(up, down) })
	printed.Wait()
	_ = up.CloseWrite()
	repeat(fromDown, up, new(sync.Mutex))
	asking.Lock() // the request that started the command has been answered
	defer asking.Unlock()
}

// repeat forwards requests to another channel, and returns its answers.
func repeat(requests <-chan *ssh.Request, to ssh.Channel, asking *sync.Mutex) {
	one := func(r *ssh.Request) {
		asking.Lock()
		defer asking.Unlock()
		ok, err := to.SendRequest(r.Type, r.WantReply, r.Payload)
		if r.WantReply {
			_ = r.Reply(ok && err == nil, nil)
		}
	}
	for r := range requests {
		one(r)
	}
}
