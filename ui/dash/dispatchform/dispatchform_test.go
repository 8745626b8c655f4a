package dispatchform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync/gitflow"
	"ocaptain/theme"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/launch"
)

// harness plays the program around a form: it runs its commands and hands it what they bring.
type harness struct {
	*testing.T
	*Form
	inbox  chan tea.Msg
	closed bool
	order  *launch.Order
	sent   launch.Command
}

// open shows a form for the repository kite of a home of its own.
func open(t *testing.T, repo string) *harness {
	t.Helper()
	home := t.TempDir()
	cwd := filepath.Join(home, "kite")
	if _, err := gitflow.Prepare(t.Context(), cwd, "", "main", gitflow.PrepareOptions{}); err != nil {
		t.Fatal(err)
	}
	hub := fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")}
	y := launch.Yard{Hub: hub, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OCAPTAIN_AGENT=script", "OCAPTAIN_PROVIDER=local"}, Cwd: cwd, Helm: func(context.Context) (*api.Client, error) {
		t.Error("helm was asked for")
		return nil, api.ErrDown
	}}
	h := &harness{T: t, inbox: make(chan tea.Msg, 100)}
	f, cmd := New(y, repo, func(o *launch.Order, c launch.Command) tea.Cmd {
		h.order, h.sent = o, c
		return nil
	})
	h.Form = f
	h.run(cmd)
	h.until("a look around", func() bool { return f.looked })
	return h
}

// run has a command done by somebody else, as the program does.
func (h *harness) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { h.inbox <- cmd() }()
	}
}

// take hands a message to the form.
func (h *harness) take(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			h.run(cmd)
		}
		return
	}
	closed, cmd := h.Update(msg)
	h.closed = h.closed || closed
	h.run(cmd)
}

// until hands over messages until something is true.
func (h *harness) until(what string, ok func() bool) {
	h.Helper()
	limit := time.After(20 * time.Second)
	for !ok() {
		select {
		case msg := <-h.inbox:
			h.take(msg)
		case <-limit:
			h.Fatalf("%s: it never came; the screen is\n%s", what, h.screen())
		}
	}
}

// keys presses keys by name; what is no name is typed.
func (h *harness) keys(names ...string) {
	named := map[string]tea.Key{
		"esc": {Code: tea.KeyEscape}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "right": {Code: tea.KeyRight},
		"space": {Code: tea.KeySpace, Text: " "}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl},
	}
	for _, name := range names {
		if key, ok := named[name]; ok {
			h.take(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range name {
			h.take(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

func (h *harness) screen() string {
	rows, _ := h.View(80, 40)
	return ansi.Strip(strings.Join(rows, "\n"))
}

func (h *harness) shows(texts ...string) {
	h.Helper()
	for _, text := range texts {
		if !strings.Contains(h.screen(), text) {
			h.Errorf("%q is not in\n%s", text, h.screen())
		}
	}
}

// found hands over the order that was found, as it is for machines at a place that costs.
func (h *harness) foundCostly() {
	h.Helper()
	o := h.Form.order
	o.Mix = fleet.Mix{{Provider: "sprites"}}
	h.Form.found(o, launch.Command{Text: "…", Workers: 4}, nil, "")
}

// What is wrong is told before anything is made, at the field that is to blame.
func TestProblems(t *testing.T) {
	h := open(t, "./nowhere")
	h.shows("✗ ", "nowhere")
	h.keys("fix it", "ctrl+s")
	h.until("the check", func() bool { return h.looked })
	if h.at != atRepo || h.closed {
		t.Errorf("it is at field %d, closed: %v", h.at, h.closed)
	}
	h = open(t, ".")
	h.shows("makes pool kite and its first worker", "● script", "● local")
	h.keys("ctrl+s")
	h.shows("the command is empty")
	h.keys("x")
	if strings.Contains(h.screen(), "the command is empty") {
		t.Error("a command that is not empty any more still is")
	}
}

// A machine that may cost is asked for first. Who does not agree waits for the workers that there are; where there are none
// nothing is made.
func TestMachineThatCosts(t *testing.T) {
	for name, tt := range map[string]struct {
		keys   []string
		closes bool
	}{
		"agreed":     {[]string{"space", "ctrl+s"}, true},
		"not agreed": {[]string{"ctrl+s"}, false},
	} {
		h := open(t, ".")
		h.foundCostly()
		h.shows("[ ] make one at sprites, which may cost")
		h.keys("fix it")
		send := func() {
			h.sending = true
			h.take(form.Msg{To: h.Form, Turn: h.turn, Take: func() (bool, tea.Cmd) {
				return h.Form.found(h.Form.order, launch.Command{Text: "fix it", Workers: 4}, nil, "")
			}})
		}
		if send(); h.closed || h.at != atCost {
			t.Errorf("%s: nobody was asked", name)
		}
		h.keys(tt.keys[:len(tt.keys)-1]...)
		if send(); h.closed != tt.closes || tt.closes && h.sent.Workers != 4 {
			t.Errorf("%s: closed %v, sent %+v", name, h.closed, h.sent)
		}
		if !tt.closes {
			h.shows("the first worker is a machine at sprites, which may cost")
		}
	}
}

// Who wants no machine where there are workers is asked once, and waits for those. A worker that is drained is not offered.
func TestWaitsForWorkers(t *testing.T) {
	h := open(t, ".")
	d := fleet.Dir(filepath.Join(h.yard.Hub.Voyages, fleet.NewID()))
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	v := fleet.Voyage{ID: d.ID(), Kind: fleet.Pool, Name: "kite", Repo: h.yard.Cwd, Agent: "script", Provider: "local"}
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "kite-1"}, {Name: "kite-2", Draining: true}}}
	if err := errors.Join(v.Save(d), fleet.Save(d.FleetFile(), f, 0o600)); err != nil {
		t.Fatal(err)
	}
	h.run(h.look())
	h.until("a look at the pool", func() bool { return h.looked })
	h.foundCostly()
	h.shows("✓ pool kite, 2 workers", "○ kite-1", "else it waits for one of 2 workers")
	if strings.Contains(h.screen(), "kite-2") {
		t.Error("a worker that is drained is offered")
	}
	for want := range 2 {
		h.sending = true
		closed, _ := h.Form.found(h.Form.order, launch.Command{Text: "fix it", Workers: 4}, nil, "")
		if closed != (want == 1) {
			t.Errorf("after %d answers it closes: %v", want, closed)
		}
	}
	if h.sent.Workers != 2 {
		t.Errorf("%+v", h.sent)
	}
}

// Fields that have nothing to ask are passed over, and the text keeps its lines.
func TestMoves(t *testing.T) {
	h := open(t, ".")
	h.keys("one", "enter", "two", "tab", "tab", "tab", "tab")
	if h.at != atDispatch {
		t.Errorf("it is at field %d", h.at)
	}
	h.keys("enter")
	h.until("it closes", func() bool { return h.closed })
	if h.sent.Text != "one\ntwo" || h.sent.Workers != 4 {
		t.Errorf("%+v", h.sent)
	}
	if name, there := h.order.Pool(); name != "kite" || there {
		t.Error(name, there)
	}
}

// Only the newest question is answered.
func TestNewestWins(t *testing.T) {
	h := open(t, ".")
	old := h.look()().(form.Msg)
	h.keys("shift+tab", "x")
	if h.take(old); h.looked {
		t.Error("an old answer was taken")
	}
}

func TestHostile(t *testing.T) {
	h := open(t, ".")
	for range 2 {
		h.take(tea.PasteMsg{Content: cleantest.Hostile})
		for _, width := range []int{30, 60, 120} {
			rows, _ := h.View(width, 30)
			cleantest.Check(t, "form", strings.Join(rows, "\n"), cleantest.Lines)
		}
		h.keys("shift+tab")
	}
}

// TestScreens draws the states of the form on a narrow, a usual and a wide screen.
func TestScreens(t *testing.T) {
	theme.Activate(theme.Dark)
	t.Cleanup(func() { theme.Activate(theme.Terminal) })
	for name, prepare := range map[string]func(*harness){
		"fresh":   func(*harness) {},
		"written": func(h *harness) { h.keys("make the tail longer", "enter", "enter", "It tears in strong wind.", "tab") },
		"cost": func(h *harness) {
			h.keys("fix it")
			h.foundCostly()
			h.at = atCost
		},
		"walls": func(h *harness) {
			h.Form.order.Unwalled, h.walling, h.at = errors.New("bubblewrap is not installed"), "sudo apt-get install -y bubblewrap", atWalls
		},
	} {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 35}} {
			h := open(t, ".")
			prepare(h)
			rows, _ := h.View(size[0], size[1]-2)
			golden.Screen(t, fmt.Sprintf("%s-%d", name, size[0]), strings.Join(rows, "\n"), size[0], size[1])
		}
	}
}
