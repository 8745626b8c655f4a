package shiptest

import (
	"io"
	"net"
	"testing"
	"time"
)

// Away puts the ship further away: what is sent from now on takes so much longer, in each direction.
func (s *Ship) Away(by time.Duration) {
	s.T.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { l.Close() })
	to := s.Wire.to
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go late(far, near, by)
			go late(near, far, by)
		}
	}()
	s.Wire = newWire(l.Addr().String())
}

// late copies from to to, with this delay.
func late(to io.WriteCloser, from io.Reader, by time.Duration) {
	type piece struct {
		due   time.Time
		bytes []byte
	}
	pieces := make(chan piece, 4096)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.bytes); err != nil {
				return
			}
		}
	}()
	defer close(pieces)
	for {
		b := make([]byte, 32<<10)
		n, err := from.Read(b)
		if n > 0 {
			pieces <- piece{time.Now().Add(by), b[:n]}
		}
		if err != nil {
			return
		}
	}
}

// LatePackets returns the address of a relay of packets to and from an address, which delivers them with this delay.
func LatePackets(t testing.TB, to string, by time.Duration) string {
	t.Helper()
	far, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	from := make(chan net.Addr, 1)
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, at, err := near.ReadFrom(b)
			if err != nil {
				return
			}
			select {
			case from <- at:
			default: // known
			}
			p := append([]byte(nil), b[:n]...)
			time.AfterFunc(by, func() { _, _ = far.Write(p) })
		}
	}()
	go func() {
		at := <-from
		b := make([]byte, 64<<10)
		for {
			n, err := far.Read(b)
			if err != nil {
				return
			}
			p := append([]byte(nil), b[:n]...)
			time.AfterFunc(by, func() { _, _ = near.WriteTo(p, at) })
		}
	}()
	return near.LocalAddr().String()
}
