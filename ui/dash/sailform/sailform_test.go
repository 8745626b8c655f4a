package sailform

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
)

// harness plays the program around a form: it runs its commands and hands it what they bring.
type harness struct {
	*testing.T
	*Form
	yard   launch.Yard
	inbox  chan tea.Msg
	closed bool
	order  *launch.Order
}

// open shows a form in a home of its own.
func open(t *testing.T, environ ...string) *harness {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("OCAPTAIN_HOME", filepath.Join(home, "o"))
	t.Setenv("XDG_CACHE_HOME", "")
	hub, err := fleet.FindHub()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(hub.Runtime) })
	h := &harness{T: t, inbox: make(chan tea.Msg, 100)}
	h.yard = launch.Yard{Hub: hub, Environ: environ, Cwd: home, Helm: func(context.Context) (*api.Client, error) {
		t.Error("helm was asked for")
		return nil, api.ErrDown
	}}
	for _, name := range []string{"harbor-lights", "add-auth"} {
		if err := tasks.New(filepath.Join(home, "plans", name), ""); err != nil {
			t.Fatal(err)
		}
	}
	f, cmd := New(h.yard, func(o *launch.Order) tea.Cmd {
		h.order = o
		return nil
	})
	h.Form = f
	h.run(cmd)
	h.until("the form has looked around", func() bool { return f.listed && f.looked })
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
			h.Fatalf("%s: not within 20 s; the screen is\n%s", what, h.screen())
		}
	}
}

// looked waits until the form has looked at what it says now.
func (h *harness) looked() {
	h.Helper()
	h.until("a look at the wish", func() bool { return h.Form.of == h.currentWish() })
}

// keys presses keys by name; what is no name is typed.
func (h *harness) keys(names ...string) {
	named := map[string]tea.Key{
		"esc": {Code: tea.KeyEscape}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl},
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

func TestChoosingAPlanAndSailing(t *testing.T) {
	h := open(t)
	h.shows("plans/add-auth", "plans/harbor-lights", "example:harbor", "no plan: one ship", "agent claude cannot log in")
	h.keys("har", "down", "down")
	h.looked()
	h.shows("✓ harbor: 28 tasks in 8 levels, longest chain 8", "example:harbor")
	h.keys("tab", "+", "+", "-", "tab", "tab", "left", "left")
	h.looked()
	want := launch.Wish{Plan: "example:harbor", Ships: "9", Agent: "script"}
	if h.currentWish() != want {
		t.Fatalf("wish %+v", h.currentWish())
	}
	if strings.Contains(h.screen(), "cannot log in") {
		t.Errorf("script needs no login\n%s", h.screen())
	}
	h.keys("ctrl+s")
	h.shows("checking")
	h.until("the form closes", func() bool { return h.closed })
	if o := h.order; o == nil || o.Name() != "harbor" || o.Ships != 9 || o.Agent.Name != "script" {
		t.Errorf("order %+v", o)
	}
}

// What is wrong is shown at its field, which gets the focus; mending it removes the error.
func TestErrorsOnSubmit(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.keys("plans/add-auth", "tab", "tab", "tab", "tab", "./nowhere", "tab", "tab", "tab", "tab", "enter")
	h.until("an error", func() bool { return h.wrong != nil })
	if h.at != atRepo || h.closed || h.wrong.Kind != launch.Failed {
		t.Fatalf("at %d, %v", h.at, h.wrong)
	}
	h.shows("✗ repository", "cannot be read")
	h.keys("backspace")
	if h.wrong != nil {
		t.Error("the error of what was changed is still there")
	}
	for range len("./nowhere") {
		h.keys("backspace")
	}
	h.looked()
	h.keys("ctrl+s")
	h.until("the form closes", func() bool { return h.closed })
}

// Agents that cannot be confined are asked about, and sail only with consent.
func TestConsent(t *testing.T) {
	h := open(t, "ANTHROPIC_API_KEY=sk-ant-fake")
	h.keys("example:tiny")
	h.looked()
	if _, err := h.checked(&launch.Order{Unwalled: errors.New("no bubblewrap")}, nil, "install it"); err != nil || h.at != atWalls {
		t.Fatalf("at %d", h.at)
	}
	h.shows("[ ] sail without walls", "(no bubblewrap)", "to confine them: install it")
	h.keys("space")
	h.shows("[x] sail without walls")
	h.keys("enter", "enter")
	h.until("the form closes", func() bool { return h.closed })
	if !h.order.Unconfined {
		t.Error("the consent is lost")
	}
}

// Only the newest question is answered, and a check ends when the form closes.
func TestNewestWins(t *testing.T) {
	h := open(t)
	old := h.startChecks()().(form.Msg)
	h.keys("example:tiny")
	h.take(old)
	if h.of.Plan != "" {
		t.Error("an old answer was taken")
	}
	h.looked()
	h.shows("✓ tiny")
	ended := make(chan struct{})
	h.stop = func() { close(ended) }
	h.keys("esc")
	if <-ended; !h.closed || h.order != nil {
		t.Error("esc does not give up")
	}
}

func TestShipsTakeOnlyNumbers(t *testing.T) {
	h := open(t)
	h.keys("tab", "x", "1", "2", "é", "3")
	h.take(tea.PasteMsg{Content: "evil"})
	if h.ships != "123" {
		t.Errorf("ships %q", h.ships)
	}
	h.take(tea.PasteMsg{Content: " 45\n"})
	h.keys("backspace", "-", "-")
	if h.ships != "2" {
		t.Errorf("ships %q", h.ships)
	}
	h.keys("-", "-", "-")
	if h.ships != "1" {
		t.Errorf("ships %q", h.ships)
	}
}

// Every field can be reached and seen on a low screen, with the cursor where text goes.
func TestLowScreen(t *testing.T) {
	h := open(t)
	h.keys("example:harbor")
	h.looked()
	for at := range fields {
		if at == atWalls {
			continue
		}
		if h.at != at {
			t.Fatalf("at %d, want %d", h.at, at)
		}
		rows, cursor := h.View(60, 8)
		if len(rows) > 8 || !strings.Contains(ansi.Strip(strings.Join(rows, "\n")), map[bool]string{true: "›", false: "[ "}[at < atWalls]) {
			t.Errorf("at %d\n%s", at, strings.Join(rows, "\n"))
		}
		if typed := h.currentLine() != nil; typed != (cursor != nil) || typed && !strings.Contains(ansi.Strip(rows[cursor.Y]), "›") {
			t.Errorf("at %d the cursor is %v", at, cursor)
		}
		h.keys("tab")
	}
	if h.at != atPlan {
		t.Errorf("after the last comes %d", h.at)
	}
	h.keys("shift+tab")
	if h.at != atCancel {
		t.Errorf("before the first is %d", h.at)
	}
	h.keys("enter")
	if !h.closed {
		t.Error("cancel does not close")
	}
}
