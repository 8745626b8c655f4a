package dash

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onfleet"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/clock"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/frame"
	"ocaptain/ui/dash/jobs"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/shown"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/dash/visit"
	"ocaptain/ui/dash/wall"
)

// place is what fills the screen between header and footer.
type place int

// The places. Esc leads from each back to home.
const (
	home   place = iota // the panes side by side, as many as fit
	full                // the focused pane
	onWall              // all ships live
)

// calls holds what has called the captain, and the needs that ! goes to.
type calls struct {
	watch   attention.Watch
	bells   attention.Bells
	visited string        // id of the need that ! went to last
	asked   time.Time     // when ! went there
	telling dialog.Dialog // dialog of a need that is about no ship and no task
}

// Model is the dashboard.
type Model struct {
	o      Options
	ctx    context.Context // ends with the program
	news   *feed.Feed
	client *api.Client
	helm   *connection.Helm
	known  connection.State // state of helm

	collect func() // switches on garbage collection, which is off until the first screen
	early   bool   // the first board is being read and may come at any moment: nothing is drawn before

	v             *shown.Voyage // nil before there is one
	place         place
	page          screen.Page // a page that fills the screen in place of the panes, or nil
	focus         screen.Pane // takes the keys
	low           screen.Pane // which of logs and ship a layout of medium width shows below
	width, height int
	now           time.Time
	clock         clock.Clock

	last     frame.Frame
	look     theme.Name
	ground   theme.Name // the theme that goes with the terminal's background, "" while that is not known
	chosen   bool       // the captain chose the theme; otherwise the terminal's background does
	dialogs  []dialog.Dialog
	drafts   dialog.Drafts
	filter   *dialog.Filter // nil while no filter is typed
	typing   string         // ship that gets the captain's keys, "" for none
	number   logpane.ShipNumber
	allShips wall.Wall

	toasts  toast.List
	jobs    *jobs.List
	calls   calls
	heard   attention.Notes
	verdict string // the doctor's verdict, asked for while there is no voyage
	touched bool   // a key was pressed
	overAt  time.Time
	desk    *onfleet.Desk
	leaving dialog.Dialog // dialog that asks whether to quit, nil until it was opened
	blurred bool
	visits  visit.Visits
}

// New returns a dashboard, which reads its voyage already. Its other feeds start with Init.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, ctx: ctx, news: feed.New(ctx), now: o.Now(), look: cmp.Or(o.Theme, theme.Dark), chosen: o.Theme != "", low: screen.Logs, helm: connection.New(o.Hub, o.Helm), collect: func() {}}
	m.jobs = jobs.New(ctx, o.Now, &m.toasts, func(ctx context.Context, then act.Then) { m.news.Send(ctx, then) })
	m.o.Helm, m.o.Yard.Helm = m.helm.InTurn(o.Helm), m.helm.InTurn(o.Yard.Helm)
	m.desk = m.newDesk()
	if slices.ContainsFunc(o.Environ, func(kv string) bool { return strings.HasPrefix(kv, "NO_COLOR=") && kv != "NO_COLOR=" }) {
		m.look, m.chosen = theme.Mono, true
	}
	theme.Activate(m.look)
	if m.early = o.Voyage != ""; m.early {
		m.open(o.Voyage)
	}
	return m
}

// patience is for how long the screen stays blank while the first board is read. Most boards are read in less.
const patience = time.Second / 10

// Init starts the feeds.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.news.Wait, m.tick(), tea.RequestBackgroundColor}
	m.news.Run(m.followHelm)
	if m.v == nil {
		return tea.Batch(append(cmds, m.openFirst())...)
	}
	return tea.Batch(append(cmds, tea.Tick(patience, func(time.Time) tea.Msg { return act.Then(func() cmd { m.early = false; return nil }) }))...)
}

// close ends the feeds, without waiting for them.
func (m *Model) close() {
	if m.v != nil {
		m.v.Close()
	}
}

// Update handles a message. Pictures of ships need nothing but to be drawn.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.last.Keep(msg) {
		return m, m.news.Wait
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case feed.News:
		cmds := []tea.Cmd{m.news.Wait}
		for _, n := range msg {
			cmds = append(cmds, m.take(n))
		}
		return m, tea.Batch(append(cmds, m.settle())...)
	case clock.Tick:
		if !m.clock.Took(msg) {
			return m, nil
		}
		m.now = m.o.Now()
		return m, tea.Batch(m.assess(), m.expire(), m.ringLate(), m.tick())
	case act.Then:
		return m, tea.Batch(msg(), m.settle())
	case tea.KeyPressMsg:
		m.touched = true
		return m, tea.Batch(m.press(msg), m.settle())
	case tea.PasteMsg:
		m.touched = true
		return m, tea.Batch(m.paste(msg), m.settle())
	case tea.MouseClickMsg:
		m.touched = true
		return m, tea.Batch(m.click(msg.Mouse()), m.settle())
	case tea.MouseWheelMsg:
		m.touched = true
		return m, tea.Batch(m.wheel(msg), m.settle())
	case tea.BackgroundColorMsg:
		m.ground = theme.Light
		if msg.IsDark() {
			m.ground = theme.Dark
		}
		if !m.chosen {
			m.look = m.ground
			theme.Activate(m.look)
		}
	case form.Msg:
		for _, d := range m.dialogs {
			if d == msg.To {
				return m, tea.Batch(m.tell(d, msg), m.settle())
			}
		}
	case tea.FocusMsg:
		m.blurred = false
	case tea.BlurMsg:
		m.blurred = true
	}
	return m, m.settle()
}

// settle updates what follows from the model's state: which ships stream, which log lines are read, when the clock
// ticks next.
func (m *Model) settle() tea.Cmd {
	if m.v == nil || m.width == 0 {
		return m.tick()
	}
	m.stream()
	return tea.Batch(m.v.FilterLogs(time.Second/frames), m.tick())
}

// busy reports whether the captain is in the middle of something that no news may interrupt, as the next keys would
// then act somewhere else.
func (m *Model) busy() bool {
	return m.typing != "" || m.filter != nil || m.number.IsTyped() || m.visits.IsAway() || len(m.dialogs) > 0
}
