package fleet

import (
	"encoding/json"
	"slices"
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// Board is the file snapshot.json: all that a reader needs to paint a voyage
// without asking anybody. Helm writes it within a second of any change.
type Board struct {
	At       time.Time     `json:"at"`
	Helm     int           `json:"helm"` // its process id
	Voyage   Voyage        `json:"voyage"`
	Phase    Phase         `json:"phase"`
	Since    time.Time     `json:"since,omitzero"` // of the phase
	Verify   Verify        `json:"verify,omitzero"`
	Head     string        `json:"head,omitempty"` // of the voyage branch
	Usage    Usage         `json:"usage,omitzero"` // of all ships, also of gone ones
	Ships    []ShipView    `json:"ships"`
	Tasks    []tasks.State `json:"tasks"`
	Problems []string      `json:"problems,omitempty"` // files and records that could not be used
	Notes    []Note        `json:"notes,omitempty"`    // the newest, oldest first
	Bill     Bill          `json:"bill,omitzero"`      // by the captain's own prices
	Guard    string        `json:"guard,omitempty"`    // why the captain should look at what the voyage costs
	Pause    *Pause        `json:"pause,omitempty"`    // the captain's; nil for none
	Budget   Budget        `json:"budget,omitzero"`
	Steering []Steering    `json:"steering,omitempty"` // work that changes files which steer agents, by task
	Journal  int64         `json:"journal,omitempty"`  // how long events.jsonl was

	AwakeAt    time.Time            `json:"awakeAt,omitzero"`    // since when the hub has been awake: before that it could see nothing
	Disk       Hindrance            `json:"disk,omitzero"`       // of writing to the voyage's directory
	Redis      Hindrance            `json:"redis,omitzero"`      // of sharing the tasks with other hubs
	Repository Hindrance            `json:"repository,omitzero"` // of merging
	Unverified Hindrance            `json:"unverified,omitzero"` // of running verify.sh
	Unread     Hindrance            `json:"unread,omitzero"`     // of bd reading the issues
	InTheWay   map[string]Hindrance `json:"inTheWay,omitempty"`  // of merging the work on a task: what the captain has not committed
	Orphans    []string             `json:"orphans,omitempty"`   // machines of this install that no voyage has, and that wait for the captain's word
	Proposals  []Proposal           `json:"proposals,omitempty"` // that the captain has not decided about, the oldest first
}

// ShipView is a ship with its status.
type ShipView struct {
	Ship
	Status    Status           `json:"status"`
	State     proto.AgentState `json:"agentState,omitzero"`
	Task      string           `json:"task,omitempty"` // that it holds
	Completed int              `json:"completed"`      // tasks it has done
	Conflicts int              `json:"conflicts,omitempty"`
	Live      string           `json:"live,omitempty"` // newest snapshot of its tree
	Unmerged
	Copied   time.Time     `json:"copied,omitzero"`    // when its tree was last copied home
	Uncopied string        `json:"uncopied,omitempty"` // why it could not be since
	Ignored  proto.Ignored `json:"ignored,omitzero"`   // as of the last time that the captain asked what is lost with the ship
	Slowed   []string      `json:"slowed,omitempty"`   // log, copies, requests: what is taken in slowly or refused, as there is too much
	SlowedAt time.Time     `json:"slowedAt,omitzero"`
	Turn     int           `json:"turn,omitempty"`     // answers of its agent on this machine, or where these are limited for the task that it has
	MaxTurns int           `json:"maxTurns,omitempty"` // how many there may be for that, 0 for any number
	Usage    Usage         `json:"usage,omitzero"`

	Conversation proto.Conversation `json:"conversation,omitzero"` // of its agent, that is under way

	Queued    int     `json:"queued,omitempty"` // messages to it that its agent has not got yet
	QueuedWhy string  `json:"queuedWhy,omitempty"`
	Via       string  `json:"via,omitempty"`   // how it was reached last: see ViaTailnet
	Costs     bool    `json:"costs,omitempty"` // somebody is charged for it
	Price     float64 `json:"price,omitempty"` // of an hour, in US dollars, the captain's own figure
	Guard     string  `json:"guard,omitempty"` // why the captain should look at what it costs

	Index proto.Index `json:"index,omitzero"` // of its search in code

	Tree SharedTree `json:"tree,omitzero"` // where the voyage has one for all

	Pause *Pause `json:"pause,omitempty"` // the captain's, of this ship; nil for none
	Rate  Rate   `json:"rate,omitzero"`   // what its agent has cost within an hour, when that is too much
	Clash Clash  `json:"clash,omitzero"`  // of the task that it holds with the branch
	// Committed is since when a pool worker has committed nothing, zero for a worker that does nothing. Nudges is how often it was
	// told to commit since.
	Committed time.Time     `json:"committed,omitzero"`
	Nudges    int           `json:"nudges,omitempty"`
	Refused   time.Time     `json:"refused,omitzero"`   // since when its agent's service refuses it, longer than it says
	UsualGap  time.Duration `json:"usualGap,omitempty"` // the longest time lately that it was out of reach and came back
}

// Clash is how often in a row the work on a task conflicted with the branch, since when, and where the last time.
type Clash struct {
	Tries int       `json:"tries"`
	Paths []string  `json:"paths,omitempty"` // fit to be shown, and not all when there are many
	Since time.Time `json:"since"`
}

// FilesText names the first of the files.
func (c *Clash) FilesText() string { return firstFew(c.Paths, 0) }

// Note is something the captain should know.
type Note struct {
	At   time.Time `json:"at"`
	Ship string    `json:"ship,omitempty"`
	Task string    `json:"task,omitempty"`
	Text string    `json:"text"`
	// Guard is what became the guard of a ship or of the voyage, when it tells of that.
	Guard string `json:"guard,omitempty"`
}

// LoadBoard reads snapshot.json.
func LoadBoard(d Dir) (Board, error) {
	var b Board
	if err := Load(d.BoardFile(), &b); err != nil || b.Phase != Sinking {
		return b, err
	}
	// The last board may not have been written, for example when the disk was full.
	if f, err := LoadFleet(d); err == nil && f.Phase == Sunk {
		b.Phase, b.Ships = Sunk, nil
	}
	return b, nil
}

// CountTasks returns how many tasks are in each status.
func (b Board) CountTasks() (pending, working, completed int) {
	for i := range b.Tasks {
		switch b.Tasks[i].Status {
		case tasks.InProgress:
			working++
		case tasks.Completed:
			completed++
		default:
			pending++
		}
	}
	return pending, working, completed
}

// LogLine is a line of logs/<ship>.jsonl. The file is also helm's copy of the
// ship's journal: Journal and Seq say which record a line came from, so that
// nothing is lost or written twice across restarts.
type LogLine struct {
	At      time.Time       `json:"t"`
	Ship    string          `json:"ship"`
	Role    string          `json:"role"`
	Kind    string          `json:"kind"` // a kind of proto.Log, or of the journal
	Turn    int             `json:"turn,omitempty"`
	Task    string          `json:"task,omitempty"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
	Journal string          `json:"journal,omitempty"`
	Seq     int64           `json:"seq,omitempty"`
}

// IsStuck reports whether tasks are open and nothing can go on: no ship works on a task, and none can be claimed, now or after a
// delay, before the captain does something about the tasks. The coordinator does not count as working: it holds a task until its
// parts are completed.
func (b *Board) IsStuck() bool {
	if b.Phase != Sailing && b.Phase != Fitting || b.Voyage.Kind.TakesDispatches() { // a dispatch that failed hinders no other
		return false
	}
	done := map[string]bool{}
	parts := map[string]int{} // that are open, of each task
	open := 0
	for i := range b.Tasks {
		switch t := &b.Tasks[i]; {
		case t.Status == tasks.InProgress && t.Owner != Coordinator:
			return false
		case t.Status == tasks.Completed:
			done[t.ID] = true
		default:
			open++
			parts[t.Parent()]++
		}
	}
	for i := range b.Tasks {
		if t := &b.Tasks[i]; t.Status == tasks.InProgress && parts[t.ID] == 0 {
			return false // helm completes it
		}
	}
	return open > 0 && !slices.ContainsFunc(b.Tasks, func(t tasks.State) bool {
		return t.Status == tasks.Pending && !t.OnHold && !slices.ContainsFunc(t.BlockedBy, func(id string) bool { return !done[id] })
	})
}

// FromSeveral reports whether ships come from more than one provider, so that it matters from which.
func FromSeveral(ships []ShipView) bool {
	return slices.ContainsFunc(ships, func(s ShipView) bool { return s.Provider != ships[0].Provider })
}
