// Package formtest plays the program around a form of the dashboard: it runs the form's commands and passes their results to
// the form.
package formtest

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/tasks/eventually"
)

// Form is a form as the dashboard uses it.
type Form interface {
	Update(msg tea.Msg) (closed bool, cmd tea.Cmd)
	View(width, height int) (rows []string, cursor *tea.Cursor)
}

// Player plays the program around a form.
type Player struct {
	*testing.T
	Closed bool // the form has closed
	form   Form
	inbox  chan tea.Msg
}

// Play starts with a form and its first command.
func Play(t *testing.T, f Form, first tea.Cmd) *Player {
	p := &Player{T: t, form: f, inbox: make(chan tea.Msg, 100)}
	p.Do(first)
	return p
}

// Do runs a command in a goroutine of its own, as the program does.
func (p *Player) Do(cmd tea.Cmd) {
	if cmd != nil {
		go func() { p.inbox <- cmd() }()
	}
}

// Take passes a message to the form.
func (p *Player) Take(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			p.Do(cmd)
		}
		return
	}
	closed, cmd := p.form.Update(msg)
	p.Closed = p.Closed || closed
	p.Do(cmd)
}

// Until passes messages to the form until ok returns true.
func (p *Player) Until(what string, ok func() bool) {
	p.Helper()
	limit := eventually.Context(p).Done()
	for !ok() {
		select {
		case msg := <-p.inbox:
			p.Take(msg)
		case <-limit:
			p.Fatalf("%s: it never came about; the screen is\n%s", what, p.Screen())
		}
	}
}

// named maps names to keys that are not a character.
var named = map[string]tea.Key{
	"esc": {Code: tea.KeyEscape}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl},
}

// Press presses keys by name; it types any other text.
func (p *Player) Press(names ...string) {
	for _, name := range names {
		if key, ok := named[name]; ok {
			p.Take(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range name {
			p.Take(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// Screen returns what the form shows at 80 columns and 40 rows, without colours.
func (p *Player) Screen() string {
	rows, _ := p.form.View(80, 40)
	return ansi.Strip(strings.Join(rows, "\n"))
}

// Shows fails the test unless all texts are on the screen.
func (p *Player) Shows(texts ...string) {
	p.Helper()
	for _, text := range texts {
		if screen := p.Screen(); !strings.Contains(screen, text) {
			p.Errorf("%q is not in\n%s", text, screen)
		}
	}
}
