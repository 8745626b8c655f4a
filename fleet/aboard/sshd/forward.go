package sshd

import (
	"context"
	"io"
	"net"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"
)

// forward connects a channel with an address that it dials from the ship.
func forward(ctx context.Context, offered ssh.NewChannel) {
	network, addr := "tcp", ""
	if offered.ChannelType() == "direct-tcpip" {
		var to struct {
			Host   string
			Port   uint32
			Origin string
			From   uint32
		}
		if ssh.Unmarshal(offered.ExtraData(), &to) == nil {
			addr = net.JoinHostPort(to.Host, strconv.FormatUint(uint64(to.Port), 10))
		}
	} else {
		var to struct {
			Path     string
			Reserved string
			Unused   uint32
		}
		if ssh.Unmarshal(offered.ExtraData(), &to) == nil {
			network, addr = "unix", to.Path
		}
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	far, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		_ = offered.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer far.Close()
	channel, requests, err := offered.Accept()
	if err != nil {
		return
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(far, channel)
		if half, ok := far.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, _ = io.Copy(channel, far)
	_ = channel.CloseWrite()
	<-sent
}
