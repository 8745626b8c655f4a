package sailform

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks/planfile"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/form/formtest"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// harness plays the program around a form.
type harness struct {
	*formtest.Player
	*Form
	yard  launch.Yard
	order *launch.Order
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
	h := &harness{}
	h.yard = launch.Yard{Hub: hub, Environ: environ, Cwd: home, Helm: func(context.Context) (*api.Client, error) {
		t.Error("helm was asked for")
		return nil, api.ErrDown
	}}
	for _, name := range []string{"harbor-lights", "add-auth"} {
		if err := planfile.New(filepath.Join(home, "plans", name), "", tasks.Repo{Kind: tasks.RepoFresh}); err != nil {
			t.Fatal(err)
		}
	}
	f, cmd := New(h.yard, func(o *launch.Order) tea.Cmd {
		h.order = o
		return nil
	})
	h.Form, h.Player = f, formtest.Play(t, f, cmd)
	h.Until("the form has looked around", func() bool { return f.listed && f.looked })
	return h
}

// looked waits until the form has a preview of its present wish.
func (h *harness) looked() {
	h.Helper()
	h.Until("a look at the wish", func() bool { return h.Form.of == h.currentWish() })
}

func TestChoosingAPlanAndSailing(t *testing.T) {
	h := open(t)
	h.Shows("plans/add-auth", "plans/harbor-lights", "example:harbor", "no plan: one ship", "agent claude cannot log in")
	h.Press("har", "down", "down")
	h.looked()
	h.Shows("✓ harbor: 28 tasks in 8 levels, longest chain 8", "example:harbor")
	h.Press("tab", "+", "+", "-", "tab", "tab", "left", "left")
	h.looked()
	want := launch.Wish{Plan: "example:harbor", Ships: "9", Agent: "script"}
	if h.currentWish() != want {
		t.Fatalf("wish %+v", h.currentWish())
	}
	if strings.Contains(h.Screen(), "cannot log in") {
		t.Errorf("script needs no login\n%s", h.Screen())
	}
	h.Press("ctrl+s")
	h.Shows("checking")
	h.Until("the form closes", func() bool { return h.Closed })
	if o := h.order; o == nil || o.Name() != "harbor" || o.Ships != 9 || o.Agent.Name != "script" {
		t.Errorf("order %+v", o)
	}
}

// A problem is shown at its field, which gets the focus; correcting the field removes the problem.
func TestErrorsOnSubmit(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.Press("plans/add-auth", "tab", "tab", "tab", "tab", "./nowhere", "tab", "tab", "tab", "tab", "tab", "tab", "enter")
	h.Until("an error", func() bool { return h.wrong != nil })
	if h.at != atRepo || h.Closed || h.wrong.Kind != problem.Failed {
		t.Fatalf("at %d, %v", h.at, h.wrong)
	}
	h.Shows("✗ repository", "cannot be read")
	h.Press("backspace")
	if h.wrong != nil {
		t.Error("the error of what was changed is still there")
	}
	for range len("./nowhere") {
		h.Press("backspace")
	}
	h.looked()
	h.Press("ctrl+s")
	h.Until("the form closes", func() bool { return h.Closed })
}

// The form asks about agents that cannot be sandboxed, which sail only with consent.
func TestConsent(t *testing.T) {
	h := open(t, "ANTHROPIC_API_KEY=sk-ant-fake")
	h.Press("example:tiny")
	h.looked()
	if _, err := h.checked(&launch.Order{Unwalled: errors.New("no bubblewrap")}, nil, "install it"); err != nil || h.at != atWalls {
		t.Fatalf("at %d", h.at)
	}
	h.Shows("[ ] sail without walls", "(no bubblewrap)", "to confine them: install it")
	h.Press("space")
	h.Shows("[x] sail without walls")
	h.Press("enter", "enter")
	h.Until("the form closes", func() bool { return h.Closed })
	if !h.order.Unconfined {
		t.Error("the consent is lost")
	}
}

// Only the result of the newest check counts, and closing the form ends a check.
func TestNewestWins(t *testing.T) {
	h := open(t)
	old := h.startChecks()().(form.Msg)
	h.Press("example:tiny")
	h.Take(old)
	if h.of.Plan != "" {
		t.Error("an old answer was taken")
	}
	h.looked()
	h.Shows("✓ tiny")
	ended := make(chan struct{})
	h.stop = func() { close(ended) }
	h.Press("esc")
	if <-ended; !h.Closed || h.order != nil {
		t.Error("esc does not give up")
	}
}

func TestShipsTakeOnlyNumbers(t *testing.T) {
	h := open(t)
	h.Press("tab", "x", "1", "2", "é", "3")
	h.Take(tea.PasteMsg{Content: "evil"})
	if h.ships != "123" {
		t.Errorf("ships %q", h.ships)
	}
	h.Take(tea.PasteMsg{Content: " 45\n"})
	h.Press("backspace", "-", "-")
	if h.ships != "2" {
		t.Errorf("ships %q", h.ships)
	}
	h.Press("-", "-", "-")
	if h.ships != "1" {
		t.Errorf("ships %q", h.ships)
	}
}

// Every field can be reached and seen on a low screen, with the cursor where text goes.
func TestLowScreen(t *testing.T) {
	h := open(t)
	h.Press("example:harbor")
	h.looked()
	for at := range fields {
		if at == atWalls || at == atFiles {
			continue
		}
		if h.at != at {
			t.Fatalf("at %d, want %d", h.at, at)
		}
		rows, cursor := h.View(60, 8)
		if len(rows) > 8 || !strings.Contains(ansi.Strip(strings.Join(rows, "\n")), map[bool]string{true: "›", false: "[ "}[at < atFiles]) {
			t.Errorf("at %d\n%s", at, strings.Join(rows, "\n"))
		}
		if typed := h.currentLine() != nil; typed != (cursor != nil) || typed && !strings.Contains(ansi.Strip(rows[cursor.Y]), "›") {
			t.Errorf("at %d the cursor is %v", at, cursor)
		}
		h.Press("tab")
	}
	if h.at != atPlan {
		t.Errorf("after the last comes %d", h.at)
	}
	h.Press("shift+tab")
	if h.at != atCancel {
		t.Errorf("before the first is %d", h.at)
	}
	h.Press("enter")
	if !h.Closed {
		t.Error("cancel does not close")
	}
}
