package live_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
	"ocaptain/ui/dash/live"
)

var reconnecting = regexp.MustCompile(`◌ reconnecting \(\d+\)… last seen \d\d:\d\d:\d\d · `)

// A lost ship's view keeps the last frame with the reason, and recovers by itself.
func TestLostAndBack(t *testing.T) {
	f := look(t, echo)
	s := f.ships["ship-0"]
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	for range 3 {
		s.Wire.Cut(true)
		f.until("the view says that it is lost", func() bool { return reconnecting.MatchString(f.text("ship-0", 100, 24)) })
		if got := f.text("ship-0", 100, 24); !strings.Contains(got, "ready") {
			t.Errorf("the last frame is gone:\n%s", got)
		}
		if err := f.PaneOf("ship-0").SendKey(key('x')); !errors.Is(err, live.ErrNotLive) {
			t.Errorf("typing into it: %v", err)
		}
		if _, ok := f.PaneOf("ship-0").Cursor(); ok {
			t.Error("an old frame has a cursor")
		}
		s.Wire.Mend()
		f.until("it is back, and shows all", func() bool {
			return f.PaneOf("ship-0").IsLive() && strings.Contains(f.text("ship-0", 100, 24), "ready")
		})
	}
	f.equal("ship-0")
}

// A view notices a silent ship, and no call waits for the ship.
func TestSilentShip(t *testing.T) {
	f := look(t, echo)
	s := f.ships["ship-0"]
	f.timeout.Store(int64(600 * time.Millisecond))
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	p := f.PaneOf("ship-0")
	s.Wire.Freeze()
	for range 1000 { // the ship does not read them, and no call may wait
		_ = p.SendKey(key('x'))
		p.View(80, 24)
	}
	f.until("the view says that it is silent", func() bool { return strings.Contains(f.text("ship-0", 100, 24), "no answer") })
	eventually.Holds(t, "it is tried again", func() bool { return s.Wire.Dials() > 2 })
	s.Wire.Mend()
	f.until("it is back", p.IsLive)
}

// Views close without waiting for a hanging ship.
func TestCloseWhileSilent(t *testing.T) {
	f := look(t, echo)
	f.timeout.Store(int64(time.Hour))
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	f.ships["ship-0"].Wire.Freeze()
	_ = f.PaneOf("ship-0").SendKey(key('x'))
	f.Close()
}

// A view says that an agent has no terminal, until the agent has one again.
func TestNoTerminal(t *testing.T) {
	f := look(t, echo)
	s := f.ships["ship-0"]
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	// Here a tmux that the view started would stay.
	if err := os.WriteFile(filepath.Join(s.Home, ".tmux.conf"), []byte("set -g exit-empty off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	f.until("the view says so", func() bool { return strings.Contains(f.text("ship-0", 120, 24), "its agent has no terminal") })
	if !s.Gone() {
		t.Error("looking has started a tmux")
	}
	s.Launch()
	f.until("it is back", f.PaneOf("ship-0").IsLive)
}

// The agent's terminal is configured even if somebody started a tmux before.
func TestForeignServer(t *testing.T) {
	f := look(t, echo)
	s := f.ships["ship-0"]
	s.Kill()
	s.Tmux("-f", "/dev/null", "new-session", "-d", "-s", "other")
	s.Launch()
	for option, want := range map[string]string{"status": "off", "prefix": "None", "set-titles": "on"} {
		if got := s.Tmux("show-options", "-gv", option); got != want {
			t.Errorf("%s is %q, want %q", option, got, want)
		}
	}
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	f.equal("ship-0")
}

// An error that only the captain can fix is shown in words, and retried rarely.
func TestRefusals(t *testing.T) {
	s := shiptest.Start(t, echo)
	other, err := ssh.NewSignerFromKey(newPrivate(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		open func() (*link.Link, error)
		want []string
	}{
		"key": {func() (*link.Link, error) {
			cfg := s.Config()
			cfg.Signers = []ssh.Signer{other}
			return link.Open(cfg)
		}, []string{"✗ refused", "it does not accept this hub's key"}},
		"host key": {func() (*link.Link, error) {
			cfg := s.Config()
			cfg.HostKey = string(ssh.MarshalAuthorizedKey(other.PublicKey()))
			return link.Open(cfg)
		}, []string{"✗ refused", "its host key changed", "ocaptain ship replace ship-0 --voyage voyage-1"}},
		"absent": {
			func() (*link.Link, error) {
				return nil, &attach.Absent{Ship: "ship-0", Why: "it is being provisioned: clone", Coming: true}
			},
			[]string{"○ not there", "being provisioned: clone", "when the ship is ready"},
		},
		"hostile words": {func() (*link.Link, error) { return nil, errors.New("\x1b]0;x\a\x1b[31mboo") }, []string{"◌ reconnecting", "boo"}},
	} {
		t.Run(name, func(t *testing.T) {
			var opened atomic.Int64
			f := &fleet{t: t, notice: make(chan struct{}, 1)}
			f.Views = live.NewViews("voyage-1", func(context.Context, string) (*link.Link, error) {
				opened.Add(1)
				return tt.open()
			}, func() {
				select {
				case f.notice <- struct{}{}:
				default:
				}
			})
			defer f.Close()
			f.ShowOnly("ship-0")
			f.until("the view says why", func() bool {
				got := f.text("ship-0", 100, 24)
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						return false
					}
				}
				return true
			})
			if n := opened.Load(); n > 2 {
				t.Errorf("it was tried %d times", n)
			}
		})
	}
}

// A view gives up on a server that accepts and then stays silent, and can close meanwhile.
func TestServerThatHangs(t *testing.T) {
	s := shiptest.Start(t, echo)
	s.Wire.Freeze()
	f := &fleet{t: t, notice: make(chan struct{}, 1), ships: map[string]*shiptest.Ship{"ship-0": s}}
	f.Views = live.NewViews("voyage-1", func(context.Context, string) (*link.Link, error) {
		cfg := s.Config()
		cfg.ConnectTimeout = 300 * time.Millisecond
		return link.Open(cfg)
	}, func() {
		select {
		case f.notice <- struct{}{}:
		default:
		}
	})
	defer f.Close()
	f.ShowOnly("ship-0")
	if got := f.text("ship-0", 80, 24); !strings.Contains(got, "◌ connecting…") {
		t.Errorf("at first it shows:\n%s", got)
	}
	f.until("the view says that nobody answers", func() bool { return strings.Contains(f.text("ship-0", 80, 24), "no answer") })
	s.Wire.Mend()
	f.until("it is live", f.PaneOf("ship-0").IsLive)
}
