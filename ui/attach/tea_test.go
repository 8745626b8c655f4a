package attach_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
)

// board is a full-screen program like the dashboard.
type board struct {
	visit   *attach.Command
	visited chan error
	keys    chan string
}

func (b *board) Init() tea.Cmd { return nil }

func (b *board) View() tea.View {
	v := tea.NewView("dashboard")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

func (b *board) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "enter":
			return b, tea.Exec(b.visit, func(err error) tea.Msg { return ended{err} })
		case "q":
			return b, tea.Quit
		}
		b.keys <- msg.String()
	case ended:
		b.visited <- msg.err
	}
	return b, nil
}

type ended struct{ err error }

// A dashboard gives its terminal away, and gets it back as it was, with every key.
func TestFromDashboard(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	was := d.state()
	b := &board{visited: make(chan error, 1), keys: make(chan string, 100)}
	p := tea.NewProgram(b, tea.WithInput(d.tty), tea.WithOutput(d.tty), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	d.shows("dashboard")
	inDash := d.state()
	l := s.Open()
	for _, leave := range []string{"\x11", "\x1b[113;5u", "\x1b[27;5;113~"} {
		b.visit = d.open(shiptest.Soon(t), l)
		d.typeKeys("\r")
		d.shows("ready")
		d.typeKeys("hello")
		d.shows("hello")
		d.typeKeys(leave)
		if err := <-b.visited; err != nil {
			t.Fatal(err)
		}
		d.shows("dashboard")
		d.isAgain(inDash)
		d.typeKeys("xyz")
		for _, want := range "xyz" {
			if got := <-b.keys; got != string(want) {
				t.Fatalf("the dashboard got %q instead of %q", got, want)
			}
		}
	}
	d.typeKeys("q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the terminal is as it was", func() bool {
		now := d.state()
		return now.termios == was.termios && now.modes == was.modes && now.cursor.Visible
	})
}

// An agent may use the tmux that it runs in.
func TestAgentUsesTmux(t *testing.T) {
	s := shiptest.Start(t, `tmux new-session -d -s work 'exec sleep 1000' && tmux new-window -d 'exec sleep 1000' && `+echo)
	d := newDesk(t, 80, 24)
	left := d.run(shiptest.Soon(t), s.Open())
	d.shows("ready")
	d.typeKeys("\x11")
	if err := <-left; err != nil {
		t.Fatal(err)
	}
}
