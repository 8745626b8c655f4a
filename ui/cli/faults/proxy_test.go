package faults

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// proxy is a way to a server that the test can make bad.
type proxy struct {
	addr string
	to   string

	mu    sync.Mutex
	conns map[net.Conn]bool
	mode  mode
	hurt  int           // how often a client met a bad way
	turn  chan struct{} // closed when the mode changes
}

// mode is the quality of a way.
type mode int

// The modes.
const (
	good   mode = iota
	cut         // new connections fail, and open ones are closed
	silent      // no byte gets through any more, and no connection is closed
	slow        // everything takes 100 ms longer, and comes in small pieces
)

// newProxy returns a proxy for an address, which runs until the test ends.
func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), to: to, conns: map[net.Conn]bool{}, turn: make(chan struct{})}
	t.Cleanup(func() {
		l.Close()
		p.be(cut)
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(near)
		}
	}()
	return p
}

// be changes the mode.
func (p *proxy) be(m mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
	close(p.turn)
	p.turn = make(chan struct{})
	if m == cut {
		p.hurt += len(p.conns)
		for c := range p.conns {
			c.Close()
		}
	}
}

// suffered returns how often a client met a bad way.
func (p *proxy) suffered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hurt
}

func (p *proxy) now() (mode, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.turn
}

// keep remembers connections. It refuses them while the way is cut.
func (p *proxy) keep(all ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range all {
		if p.mode == cut {
			p.hurt++
			c.Close()
		} else {
			p.conns[c] = true
		}
	}
	return p.mode != cut
}

func (p *proxy) serve(near net.Conn) {
	far, err := net.Dial("tcp", p.to)
	if err != nil {
		near.Close()
		return
	}
	if !p.keep(near, far) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.carry(near, far) })
	both.Go(func() { p.carry(far, near) })
	both.Wait()
	near.Close()
	far.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, near)
	delete(p.conns, far)
}

// feel counts a client that meets a bad way.
func (p *proxy) feel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode != good {
		p.hurt++
	}
}

// carry copies bytes from one end to the other.
func (p *proxy) carry(from, to net.Conn) {
	piece := make([]byte, 32<<10)
	for {
		room := piece
		if m, _ := p.now(); m == slow {
			room = piece[:1<<10]
		}
		n, err := from.Read(room)
		p.feel()
		for m, turn := p.now(); m == silent; m, turn = p.now() {
			<-turn
		}
		if m, turn := p.now(); m == slow {
			select {
			case <-turn:
			case <-eventually.Later(100 * time.Millisecond):
			}
		}
		if n > 0 {
			if _, err := to.Write(piece[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			if half, ok := to.(interface{ CloseWrite() error }); ok && errors.Is(err, io.EOF) {
				_ = half.CloseWrite()
			} else {
				to.Close()
			}
			return
		}
	}
}
