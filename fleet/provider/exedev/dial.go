package exedev

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
)

// Dial connects to the last known address of the machine's SSH server.
//
// At that address a gateway of exe.dev may answer, which accepts connections even for a stopped machine. So if the last
// connection was short, Dial asks the lobby first.
func (p *Provider) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	if err := p.checkState(ctx, m.Name); err != nil {
		return nil, err
	}
	addr := m.Addr
	if r, err := p.records.load(m.Name); err == nil && r.Addr != "" {
		addr = r.Addr
	}
	if addr == "" {
		return nil, fmt.Errorf("exe.dev machine %s: %w", m.Name, provider.ErrNotFound)
	}
	conn, err := p.through(ctx, addr)
	var later *provider.Temporary
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, &provider.Temporary{Err: fmt.Errorf("dial exe.dev machine %s: %w", m.Name, ctx.Err())}
	case errors.As(err, &later):
		return nil, &provider.Temporary{Err: fmt.Errorf("dial exe.dev machine %s: %w", m.Name, err)}
	default: // ~/.ssh/config is wrong, or a jump host refuses every login
		return nil, fmt.Errorf("dial exe.dev machine %s: %w", m.Name, err)
	}
	return &watched{Conn: conn, since: time.Now(), short: func() { p.suspects(m.Name, true) }}, nil
}

// lived is the shortest life of a connection that counts as having reached a machine.
const lived = 5 * time.Second

// watched is a connection that records when it was short.
type watched struct {
	net.Conn
	since time.Time
	short func()
	once  sync.Once
}

func (w *watched) Close() error {
	w.once.Do(func() {
		if time.Since(w.since) < lived {
			w.short()
		}
	})
	return w.Conn.Close()
}

func (p *Provider) suspects(name string, bad bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if bad {
		p.suspect[name] = time.Now()
		return
	}
	delete(p.suspect, name)
}

// checkState asks for the state of a machine whose last connection was short and recent. It ignores a lobby that does
// not answer, as that must not keep the captain from ships that do.
func (p *Provider) checkState(ctx context.Context, name string) error {
	p.mu.Lock()
	when, bad := p.suspect[name]
	p.mu.Unlock()
	if !bad || time.Since(when) > time.Minute {
		return nil
	}
	p.suspects(name, false)
	asking, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	r, v, err := p.findVM(asking, name)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return err
	case err == nil && v.stateOf() == provider.Stopped:
		return &provider.Temporary{Err: fmt.Errorf("exe.dev machine %s has stopped", name)}
	case err == nil && r.Made:
		p.follow(r, v) // another machine may have its address now
	}
	return nil
}

// through connects to a machine's address in the way that ~/.ssh/config says, through jump hosts. It does not log in
// to the machine.
func (p *Provider) through(ctx context.Context, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	place := openssh.Place{Host: host}
	if port != "22" {
		if place.Port, err = strconv.Atoi(port); err != nil {
			return nil, err
		}
	}
	return p.captain.Through(ctx, place, p.dialTCP)
}

// dialTCP connects to an address of exe.dev, or makes the fake do so.
func (p *Provider) dialTCP(ctx context.Context, addr string) (net.Conn, error) {
	if p.lobby.via == nil {
		return (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 15 * time.Second}).DialContext(ctx, "tcp", addr)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.lobby.via.Host)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	r := bufio.NewReader(conn)
	if err := request.Write(conn); err != nil {
		conn.Close()
		return nil, err
	}
	response, err := http.ReadResponse(r, request)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("connect to %s: %s", addr, response.Status)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &early{conn, r}, nil
}

// early is a connection whose beginning has already been read.
type early struct {
	net.Conn
	r *bufio.Reader
}

func (e *early) Read(b []byte) (int, error) { return e.r.Read(b) }
