package reach

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/link"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// place is a provider whose machines can be reached at one address.
type place struct {
	provider.Provider
	addr   string // "" while the machine does not answer
	ensure error
	asked  []string
}

func (p *place) Dial(_ context.Context, m provider.Machine) (net.Conn, error) {
	if p.asked = append(p.asked, "dial "+m.Addr); p.addr == "" || m.Addr != p.addr {
		return nil, errors.New("no answer")
	}
	near, _ := net.Pipe()
	return near, nil
}

func (p *place) Ensure(_ context.Context, name string) (provider.Machine, error) {
	p.asked = append(p.asked, "ensure "+name)
	return provider.Machine{Name: name, Addr: p.addr}, p.ensure
}

// TestDial reaches a machine where it was, else where its provider says that it is now, and where something else answers only there.
func TestDial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		place   place
		strange bool
		asked   string
		want    string // an error, "" for a connection
		moved   string // the address that is kept
		told    string
		lost    bool
	}{
		"where it was":            {place{addr: "a"}, false, "dial a", "", "", "", false},
		"it has moved":            {place{addr: "b"}, false, "dial a, ensure m, dial b", "", "b", "", false},
		"it is down":              {place{ensure: errors.New("it does not start")}, false, "dial a, ensure m", "no answer\nit does not start", "", "", false},
		"it has no room":          {place{ensure: &provider.FullError{Setting: "local.disk"}}, false, "dial a, ensure m", "stopped", "", "local.disk", false},
		"it is gone":              {place{ensure: provider.ErrNotFound}, false, "dial a, ensure m", "replace the ship with: ocaptain ship replace", "", "", true},
		"another answers there":   {place{addr: "b"}, true, "ensure m, dial b", "", "b", "", false},
		"and nobody knows better": {place{addr: "a", ensure: errors.New("no idea")}, true, "ensure m, dial a", "", "", "", false},
	} {
		v, lost, moved := notestest.New(t), false, fleet.Ship{}
		s := New(Options{
			Access: &access.Access{Providers: map[string]provider.Provider{"x": &c.place}, Machines: machines.New(machines.Options{Proof: time.Hour})},
			Ship:   fleet.Ship{Name: "ship-0", Provider: "x", Machine: provider.Machine{Name: "m", Addr: "a"}}, Replace: "ocaptain ship replace", Notes: v.Notes,
			Go: func(f func()) { f() }, Keep: func(change func(*fleet.Ship)) { change(&moved) }, Lost: func() { lost = true },
		})
		if c.strange {
			s.Note(link.Status{State: link.Refused, Err: errors.New("host key changed")})
		}
		conn, err := s.DialSSH(t.Context())
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, conn, err)
		}
		if via, _ := s.Way(); (via == fleet.ViaProvider) != (err == nil) {
			t.Errorf("%s: it was reached by %q", name, via)
		}
		if got := strings.Join(c.place.asked, ", "); got != c.asked || moved.Machine.Addr != c.moved || lost != c.lost {
			t.Errorf("%s: %s; moved to %q, lost: %t", name, got, moved.Machine.Addr, lost)
		}
		if told := v.Told(); c.told == "" && len(told) > 0 || c.told != "" && !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, c.told) }) {
			t.Errorf("%s: told %q", name, told)
		}
	}
}

// TestGone proves that a machine is gone: two looks in vain that are far enough apart, with nothing heard between them.
func TestGone(t *testing.T) {
	t.Parallel()
	at := time.Now()
	for name, c := range map[string]struct {
		between func(*Ship)
		later   time.Duration
		gone    bool
	}{
		"one look":                {nil, 0, false},
		"two at once":             {func(*Ship) {}, time.Second, false},
		"two, a minute apart":     {func(*Ship) {}, time.Minute, true},
		"it was there in between": {func(s *Ship) { s.Note(link.Status{State: link.Connected}) }, time.Minute, false},
	} {
		s := New(Options{Access: &access.Access{Machines: machines.New(machines.Options{Proof: time.Minute})}})
		s.missMachine(at)
		if c.between != nil {
			c.between(s)
			s.missMachine(at.Add(c.later))
		}
		if s.IsGone() != c.gone {
			t.Errorf("%s: gone: %t", name, s.IsGone())
		}
	}
}
