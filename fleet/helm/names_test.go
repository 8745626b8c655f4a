package helm

import (
	"context"
	"net"
	gosync "sync"
	"sync/atomic"
	"testing"
)

// names answers questions for addresses in place of the network's name servers.
type names struct {
	mu  gosync.Mutex
	all map[string]net.IP // a name that is not in it does not exist
}

// astray is the address of the name server in place of the network's, if a test has one.
var astray atomic.Pointer[string]

// Connections that an earlier test has given up may still ask for names, so the resolver is never another one.
func init() {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if at := astray.Load(); at != nil {
			network, address = "udp", *at
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
}

// newNames takes over name resolution in this process until the test ends.
func newNames(t *testing.T) *names {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{all: map[string]net.IP{}}
	at := server.LocalAddr().String()
	astray.Store(&at)
	ended := make(chan struct{})
	t.Cleanup(func() {
		astray.Store(nil)
		_ = server.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		buf := make([]byte, 1500)
		for {
			size, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := n.answer(buf[:size]); answer != nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return n
}

// lead has a name lead to an address, or nowhere with "".
func (n *names) lead(name, address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all[name+"."] = net.ParseIP(address).To4(); address == "" {
		delete(n.all, name+".")
	}
}

// answer makes the answer to one question (RFC 1035): the address, none of that kind, or that
// there is no such name.
func (n *names) answer(question []byte) []byte {
	const header = 12
	name, at := "", header
	for at < len(question) && question[at] != 0 {
		size := int(question[at])
		if at+1+size >= len(question) {
			return nil
		}
		name += string(question[at+1:at+1+size]) + "."
		at += 1 + size
	}
	if at+5 > len(question) {
		return nil
	}
	asked := question[header : at+5] // with the zero of the name, type and class
	n.mu.Lock()
	address := n.all[name]
	n.mu.Unlock()
	code, answers := byte(0), byte(0)
	var record []byte
	switch {
	case address == nil:
		code = 3
	case asked[len(asked)-3] == 1: // type A
		answers = 1
		record = append([]byte{0xc0, header, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4}, address...)
	}
	out := append([]byte{question[0], question[1], 0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0}, asked...)
	return append(out, record...)
}
