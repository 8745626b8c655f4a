package dash

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
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
	pause, doubt := least, false
	for m.ctx.Err() == nil {
		client, err := m.reachHelm(doubt)
		if err == nil {
			began := time.Now()
			m.send(m.ctx, helmMsg{helmState{up: true, tried: true, since: time.Now()}, client})
			err = client.Wait(m.ctx)
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

// errIdle says that helm does not run and has nothing to do.
var errIdle = errors.New("not needed: no ship is out")

// reachHelm returns a client of helm. It starts helm when a voyage has ships. In doubt, it makes
// sure that helm is not of an older build, which may not know all that is asked of it.
func (m *Model) reachHelm(doubt bool) (*helm.Client, error) {
	ctx, cancel := context.WithTimeout(m.ctx, 30*time.Second)
	defer cancel()
	client := helm.NewClient(m.o.Hub)
	if _, err := client.Hello(ctx); err == nil {
		if doubt {
			return m.o.Helm(ctx)
		}
		return client, nil
	}
	dirs, err := fleet.Voyages(m.o.Hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err == nil && f.Phase != fleet.Sunk {
			return m.o.Helm(ctx)
		}
	}
	return nil, errIdle
}

// helmForView returns a client of helm for a live view. Whether helm is the right one is asked
// once, as it means to read the whole program: going down a list connects to many ships.
func (m *Model) helmForView(ctx context.Context) (*helm.Client, error) {
	if client := m.viewer.Load(); client != nil {
		if _, err := client.Hello(ctx); err == nil {
			return client, nil
		}
	}
	client, err := m.o.Helm(ctx)
	if err == nil {
		m.viewer.Store(client)
	}
	return client, err
}

// setHelm shows how helm is.
func (m *Model) setHelm(msg helmMsg) tea.Cmd {
	was := m.helm
	m.helm = msg.state
	m.client = msg.client
	switch {
	case was.tried && was.up && !m.helm.up:
		return m.say(bad, "helm is gone: "+m.helm.why+"; it is started again")
	case was.tried && !was.up && m.helm.up && was.why != errIdle.Error():
		return m.say(good, "helm is back")
	}
	return nil
}
