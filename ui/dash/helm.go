package dash

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
)

// helmState is what is known of helm.
type helmState struct {
	up    bool
	tried bool   // something is known at all
	why   string // it is down
	since time.Time
}

// followHelm keeps a connection to helm whose end tells that helm has ended. No poll is
// needed to know that it is there.
func (m *Model) followHelm() {
	const least, steady = 200 * time.Millisecond, 10 * time.Second
	pause, doubt, known := least, false, false
	for m.ctx.Err() == nil {
		client, err := m.reachHelm(doubt, known)
		if err == nil {
			known = true
			m.light.turn(true)
			began := time.Now()
			m.send(m.ctx, helmMsg{helmState{up: true, tried: true, since: time.Now()}, client})
			m.feed(func() { m.findOrphans(client) })
			err = client.Wait(m.ctx)
			m.light.turn(false)
			if supervise.Stopped(m.o.Hub) {
				err = errStopped
			}
			// One that ends at once each time is not asked ever so often; and it may be of another build.
			if doubt = time.Since(began) < steady; !doubt {
				pause = least
			}
		}
		if m.ctx.Err() != nil {
			return
		}
		m.send(m.ctx, helmMsg{state: helmState{tried: true, why: err.Error(), since: time.Now()}})
		select {
		case <-time.After(pause):
		case <-m.ctx.Done():
		}
		pause = min(2*pause, 10*time.Second)
	}
}

// Why helm does not run, and is not started.
var (
	errIdle    = errors.New("not needed: no ship is out")
	errStopped = errors.New("it was stopped on purpose")
)

// reachHelm returns a client of helm. It starts helm when a voyage has ships, unless helm was
// known to run and then was stopped on purpose. In doubt, it makes sure that helm is not of an
// older build, which may not know all that is asked of it.
func (m *Model) reachHelm(doubt, known bool) (*api.Client, error) {
	ctx, cancel := context.WithTimeout(m.ctx, 30*time.Second)
	defer cancel()
	client := api.NewClient(m.o.Hub)
	if _, err := client.Hello(ctx); err == nil {
		if doubt {
			return m.o.Helm(ctx)
		}
		return client, nil
	}
	if known && supervise.Stopped(m.o.Hub) {
		return nil, errStopped
	}
	dirs, err := fleet.Voyages(m.o.Hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
			return m.o.Helm(ctx)
		}
	}
	return nil, errIdle
}

// runningHelm returns a client of a helm that runs; it waits for one. Live views ask for it,
// each again and again; they start none.
func (m *Model) runningHelm(ctx context.Context) (*api.Client, error) {
	if !m.light.wait(ctx) {
		return nil, api.ErrDown
	}
	return api.NewClient(m.o.Hub), nil
}

// light is on while helm is known to run. Anybody may wait for it.
type light struct {
	mu sync.Mutex
	on chan struct{} // closed while it is on
}

func newLight() *light { return &light{on: make(chan struct{})} }

// turn turns the light on or off.
func (l *light) turn(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.on:
		if !on {
			l.on = make(chan struct{})
		}
	default:
		if on {
			close(l.on)
		}
	}
}

// wait returns true when the light is on, false when ctx ends before.
func (l *light) wait(ctx context.Context) bool {
	l.mu.Lock()
	on := l.on
	l.mu.Unlock()
	select {
	case <-on:
		return true
	case <-ctx.Done():
		return false
	}
}

// setHelm shows how helm is.
func (m *Model) setHelm(msg helmMsg) tea.Cmd {
	was := m.helm
	m.helm = msg.state
	m.client = msg.client
	switch {
	case was.up && m.helm.why == errStopped.Error():
		return m.say(warn, "helm was stopped on purpose; “restart helm” among the actions (:) starts it")
	case was.tried && was.up && !m.helm.up:
		return m.say(bad, "helm is gone: "+m.helm.why+"; it is started again")
	case was.tried && !was.up && m.helm.up && was.why != errIdle.Error():
		return m.say(good, "helm is back")
	}
	return nil
}
