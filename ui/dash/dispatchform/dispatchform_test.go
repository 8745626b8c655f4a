package dispatchform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/mix"
	"ocaptain/fleet/summed"

	"ocaptain/sync/gitflow/origin"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/bring"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/form/formtest"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/launch"
)

// harness plays the program around a form.
type harness struct {
	*formtest.Player
	*Form
	order *launch.Order
	sent  launch.Command
}

// open shows a form for the repository kite in a home of its own.
func open(t *testing.T, repo string) *harness {
	t.Helper()
	home := t.TempDir()
	cwd := filepath.Join(home, "kite")
	if _, err := origin.Prepare(t.Context(), cwd, "", "main", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	hub := fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")}
	y := launch.Yard{Hub: hub, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OCAPTAIN_AGENT=script", "OCAPTAIN_PROVIDER=local"}, Cwd: cwd, Helm: func(context.Context) (*api.Client, error) {
		t.Error("helm was asked for")
		return nil, api.ErrDown
	}}
	h := &harness{}
	f, cmd := New(y, repo, func(o *launch.Order, c launch.Command) tea.Cmd {
		h.order, h.sent = o, c
		return nil
	})
	h.Form, h.Player = f, formtest.Play(t, f, cmd)
	h.Until("a look around", func() bool { return f.looked })
	return h
}

// foundCostly hands over the checked order, changed into one for machines that cost money.
func (h *harness) foundCostly() {
	h.Helper()
	o := h.Form.order
	o.Mix = mix.Mix{{Provider: "sprites"}}
	h.Form.found(o, launch.Command{Text: "…", Workers: 4}, nil, "")
}

// A command is dispatched as it was written, with its last newline.
func TestFinalNewline(t *testing.T) {
	h := open(t, ".")
	h.Press("do it", "enter")
	if text := h.written().Text; text != "do it\n" {
		t.Errorf("the command is %q", text)
	}
}

// Problems are shown before anything is made, at the field to blame.
func TestProblems(t *testing.T) {
	h := open(t, "./nowhere")
	h.Shows("✗ ", "nowhere")
	h.Press("fix it", "ctrl+s")
	h.Until("the check", func() bool { return h.looked })
	if h.at != atRepo || h.Closed {
		t.Errorf("it is at field %d, closed: %v", h.at, h.Closed)
	}
	h = open(t, ".")
	h.Shows("makes pool kite and its first worker", "● script", "● local")
	h.Press("ctrl+s")
	h.Shows("the command is empty")
	h.Press("x")
	if strings.Contains(h.Screen(), "the command is empty") {
		t.Error("a command that is not empty any more still is")
	}
}

// The form asks before a machine that may cost money is made. A captain who does not agree waits for the existing workers;
// without workers nothing is made.
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
		h.Shows("[ ] make one at sprites, which may cost")
		h.Press("fix it")
		send := func() {
			h.sending = true
			h.Take(form.Msg{To: h.Form, Turn: h.turn, Take: func() (bool, tea.Cmd) {
				return h.Form.found(h.Form.order, launch.Command{Text: "fix it", Workers: 4}, nil, "")
			}})
		}
		if send(); h.Closed || h.at != atCost {
			t.Errorf("%s: nobody was asked", name)
		}
		h.Press(tt.keys[:len(tt.keys)-1]...)
		if send(); h.Closed != tt.closes || tt.closes && h.sent.Workers != 4 {
			t.Errorf("%s: closed %v, sent %+v", name, h.Closed, h.sent)
		}
		if !tt.closes {
			h.Shows("the first worker is a machine at sprites, which may cost")
		}
	}
}

// A captain who wants no machine is asked once, and then waits for the existing workers. A draining worker is not offered.
func TestWaitsForWorkers(t *testing.T) {
	h := open(t, ".")
	d := fleet.Dir(filepath.Join(h.yard.Hub.Voyages, fleet.NewID()))
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	v := fleet.Voyage{ID: d.ID(), Kind: fleet.Pool, Name: "kite", Repo: h.yard.Cwd, AgentChoice: fleet.AgentChoice{Agent: "script"}, Provider: "local"}
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "kite-1"}, {Name: "kite-2", Draining: true}}}
	if err := errors.Join(v.Save(d), summed.Write(d.FleetFile(), f, 0o600)); err != nil {
		t.Fatal(err)
	}
	h.Do(h.look())
	h.Until("a look at the pool", func() bool { return h.looked })
	h.foundCostly()
	h.Shows("✓ pool kite, 2 workers", "○ kite-1", "else it waits for one of 2 workers")
	if strings.Contains(h.Screen(), "kite-2") {
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

// Keys pass over fields that ask for nothing, and the text keeps its lines.
func TestMoves(t *testing.T) {
	h := open(t, ".")
	h.Press("one", "enter", "two", "tab", "tab", "tab", "tab", "20", "tab")
	if h.at != atDispatch {
		t.Errorf("it is at field %d", h.at)
	}
	h.Press("enter")
	h.Until("it closes", func() bool { return h.Closed })
	if h.sent.Text != "one\ntwo" || h.sent.Workers != 4 || h.order.Guards.MaxCost != 20 {
		t.Errorf("%+v", h.sent)
	}
	if name, there := h.order.Pool(); name != "kite" || there {
		t.Error(name, there)
	}
}

// Only the result of the newest check counts.
func TestNewestWins(t *testing.T) {
	h := open(t, ".")
	old := h.look()().(form.Msg)
	h.Press("shift+tab", "x")
	if h.Take(old); h.looked {
		t.Error("an old answer was taken")
	}
}

func TestHostile(t *testing.T) {
	h := open(t, ".")
	for range 2 {
		h.Take(tea.PasteMsg{Content: cleantest.Hostile})
		for _, width := range []int{30, 60, 120} {
			rows, _ := h.View(width, 30)
			cleantest.Check(t, "form", strings.Join(rows, "\n"), cleantest.Lines)
		}
		h.Press("shift+tab")
	}
}

// TestScreens draws the states of the form on a narrow, a usual and a wide screen.
func TestScreens(t *testing.T) {
	theme.Activate(theme.Dark)
	t.Cleanup(func() { theme.Activate(theme.Terminal) })
	for name, prepare := range map[string]func(*harness){
		"fresh":   func(*harness) {},
		"written": func(h *harness) { h.Press("make the tail longer", "enter", "enter", "It tears in strong wind.", "tab") },
		"cost": func(h *harness) {
			h.Press("fix it")
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

// The form shows the git-ignored files that a repository brings to workers, and dispatches nothing before the captain has agreed.
func TestFiles(t *testing.T) {
	h := open(t, ".")
	for name, text := range map[string]string{".git/info/exclude": ".env\n", ".env": "KEY=1\n", bring.IncludeName: ".env\n"} {
		path := filepath.Join(h.yard.Cwd, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	h.Do(h.look())
	h.Until("a look at the files", func() bool { return h.looked })
	h.Shows("Files       ○ none  ○ bring", ".env, 6 B, by .worktreeinclude: secret by its name")
	h.Press("fix it", "ctrl+s")
	h.Until("it asks", func() bool { return !h.looking })
	if h.Closed || h.at != atFiles {
		t.Fatalf("nobody agreed; closed: %v, at %d", h.Closed, h.at)
	}
	h.Press("right")
	h.Until("another look", func() bool { return h.looked })
	h.Press("ctrl+s")
	h.Until("it closes", func() bool { return h.Closed })
	if len(h.order.Bring.Files) != 1 || h.order.AsksForFiles() {
		t.Errorf("%+v", h.order.Bring)
	}
}
