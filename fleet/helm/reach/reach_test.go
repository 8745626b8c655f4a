package reach

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/resolve"
)

// TestSilence counts a silence from when the link went or the hub awoke, whichever is later.
func TestSilence(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		state       link.State
		gone, awake time.Duration // ago
		silent      bool
	}{
		{link.Down, 11 * time.Minute, time.Hour, true},
		{link.Down, 9 * time.Minute, time.Hour, false},
		{link.Down, 8 * time.Hour, 9 * time.Minute, false},
		{link.Down, 8 * time.Hour, 11 * time.Minute, true},
		{link.Refused, 11 * time.Minute, time.Hour, true},
		{link.Connected, 8 * time.Hour, time.Hour, false},
	} {
		s := New(Options{})
		if s.IsSilent(now, ago(c.awake), 10*time.Minute) {
			t.Errorf("%+v: silent before anything is known", c)
		}
		s.Note(link.Status{State: c.state, Since: ago(c.gone)})
		if s.IsSilent(now, ago(c.awake), 10*time.Minute) != c.silent {
			t.Errorf("%+v", c)
		}
	}
}

// TestShow follows a link: what is shown of it is its newest status, and a ship that helm let go of is not connected.
func TestShow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(Options{})
	shows := func(connected bool, since time.Time, why string) {
		t.Helper()
		known := resolve.Known{Link: resolve.Link{LinkError: "old"}}
		s.Show(&known)
		if known.Connected != connected || s.IsConnected() != connected || !known.LinkSince.Equal(since) || known.LinkError != why {
			t.Errorf("shown: %t since %s %q, want %t since %s %q", known.Connected, known.LinkSince, known.LinkError, connected, since, why)
		}
	}
	shows(false, time.Time{}, "")
	s.Note(link.Status{State: link.Refused, Since: at, Err: errors.New("host key changed")})
	shows(false, at, "host key changed")
	if _, _, strange := s.place(); !strange {
		t.Error("nothing strange answers")
	}
	s.Note(link.Status{State: link.Connected, Since: at.Add(time.Minute)})
	shows(true, at.Add(time.Minute), "")
	if _, gap := s.Way(); gap != time.Minute {
		t.Errorf("out of reach for %s", gap)
	}
	s.LetGo()
	shows(false, at.Add(time.Minute), "")
}

// TestLeave ends connections: the newest counts, and its end is told once.
func TestLeave(t *testing.T) {
	t.Parallel()
	told := 0
	s := New(Options{Away: func() { told++ }})
	one, two := &wire.Conn{}, &wire.Conn{}
	s.Greet(one)
	s.Greet(two)
	if s.leave(one); s.Conn() != two || told != 0 {
		t.Errorf("an old connection ended, told %d", told)
	}
	s.leave(two)
	if s.leave(two); s.Conn() != nil || told != 1 {
		t.Errorf("the connection ended, told %d", told)
	}
}

// TestConnects waits for a link that has just gone, and for one attempt of a link that went long ago.
func TestConnects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		gone  time.Duration // ago; 0 for a link that is not open yet
		after time.Duration // when the attempt begins, 0 for never
		comes bool
		waits time.Duration
	}{
		{"it is tried and comes", time.Hour, time.Second, true, time.Second},
		{"it is tried and does not come", time.Hour, time.Second, false, time.Second},
		{"it is not tried", time.Hour, 0, false, connecting},
		{"it has just gone and comes later", 5 * time.Second, 4 * time.Second, true, 4 * time.Second},
		{"it is not open yet", 0, 3 * time.Second, true, 3 * time.Second},
		{"it is never opened", 0, 0, false, connecting},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{})
				began := time.Now()
				if c.gone > 0 {
					s.Note(link.Status{State: link.Down, Since: began.Add(-c.gone), Tried: began.Add(-c.gone)})
				}
				if c.after > 0 {
					time.AfterFunc(c.after, func() {
						st := link.Status{State: link.Down, Since: began.Add(-c.gone), Tried: time.Now()}
						if c.comes {
							st = link.Status{State: link.Connected, Since: time.Now()}
						}
						s.Note(st)
					})
				}
				got := s.Connects(t.Context())
				// By the bubble's clock, which stands still while anything runs.
				if took := time.Since(began); got != c.comes || took < c.waits || took > c.waits+time.Second {
					t.Errorf("connected: %t after %s", got, took)
				}
			})
		})
	}
}

// TestRejoined decides where a ship is in the tailnet after its way there was looked after.
func TestRejoined(t *testing.T) {
	t.Parallel()
	was := fleet.Tailnet{Node: "n1", IP: "fd7a::1", Port: 22, HostKey: "ssh-ed25519 A"}
	with := func(change func(*fleet.Tailnet)) *fleet.Tailnet { at := was; change(&at); return &at }
	moved := with(func(at *fleet.Tailnet) { at.Port = 2222 })
	for _, c := range []struct {
		name  string
		at    *fleet.Tailnet
		err   error
		now   *fleet.Tailnet
		told  bool
		known bool
	}{
		{"it is there again", moved, nil, moved, false, true},
		{"it has left", nil, fmt.Errorf("join: %w", provision.ErrLeft), nil, true, true},
		{"it does not answer", nil, errors.New("no answer"), &was, false, false},
		{"another node", with(func(at *fleet.Tailnet) { at.Node = "n2" }), nil, nil, true, true},
		{"another address", with(func(at *fleet.Tailnet) { at.IP = "fd7a::2" }), nil, nil, true, true},
		{"another host key", with(func(at *fleet.Tailnet) { at.HostKey = "ssh-ed25519 B" }), nil, nil, true, true},
	} {
		now, why, known := rejoined(&was, c.at, c.err)
		if now != c.now || why != "" != c.told || known != c.known {
			t.Errorf("%s: %+v, %q, %t", c.name, now, why, known)
		}
	}
}

// TestMendsNow looks after a way over the tailnet at most once in a while, and only when it was not the way.
func TestMendsNow(t *testing.T) {
	t.Parallel()
	s := New(Options{Ship: fleet.Ship{Tailnet: &fleet.Tailnet{Node: "n1"}}})
	now := time.Now()
	for _, c := range []struct {
		via string
		in  time.Duration
		due bool
	}{
		{"", 0, false},
		{fleet.ViaTailnet, 0, false},
		{fleet.ViaProvider, 0, true},
		{fleet.ViaProvider, time.Minute, false},
		{fleet.ViaProvider, 3 * time.Minute, true},
	} {
		if c.via != "" {
			s.Arrived(c.via)
		}
		if _, due := s.mendsNow(now.Add(c.in)); due != c.due {
			t.Errorf("%+v", c)
		}
	}
	if _, due := New(Options{}).mendsNow(now); due {
		t.Error("a ship that is in no tailnet has no way there")
	}
}
