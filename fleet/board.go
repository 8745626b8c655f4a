package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/jsonread"
)

// Board is the content of snapshot.json: all that a reader needs to show a voyage without asking helm. Helm writes it
// within a second of any change.
type Board struct {
	At       time.Time     `json:"at"`
	Helm     int           `json:"helm"` // the process id of helm
	Voyage   Voyage        `json:"voyage"`
	Phase    Phase         `json:"phase"`
	Since    time.Time     `json:"since,omitzero"` // when the phase began
	Verify   Verify        `json:"verify,omitzero"`
	Head     string        `json:"head,omitempty"` // the newest commit of the voyage branch
	Usage    Usage         `json:"usage,omitzero"` // what all ships used, including ships that are gone
	Ships    []ShipView    `json:"ships"`
	Tasks    []tasks.State `json:"tasks"`
	Problems []string      `json:"problems,omitempty"` // the files and records that could not be used
	Notes    []Note        `json:"notes,omitempty"`    // the newest notes, oldest first
	Bill     Bill          `json:"bill,omitzero"`      // by the prices that the captain has set
	Guard    string        `json:"guard,omitempty"`    // why the captain should look at the voyage's cost, "" when he need not
	Pause    *Pause        `json:"pause,omitempty"`    // the captain's pause of the voyage; nil for none
	Budget   Budget        `json:"budget,omitzero"`
	Steering []Steering    `json:"steering,omitempty"` // work that changes files which steer agents, by task
	Journal  int64         `json:"journal,omitempty"`  // the size of events.jsonl in bytes

	AwakeAt   time.Time  `json:"awakeAt,omitzero"`    // since when the hub has been awake; it saw nothing before that
	Orphans   []string   `json:"orphans,omitempty"`   // machines of this install that belong to no voyage, about which the captain has to decide
	Proposals []Proposal `json:"proposals,omitempty"` // proposals that the captain has not decided on, the oldest first
	Hindrances
}

// Hindrances says what keeps helm from its work.
type Hindrances struct {
	Disk       Hindrance            `json:"disk,omitzero"`       // why helm cannot write to the voyage's directory
	Redis      Hindrance            `json:"redis,omitzero"`      // why helm cannot share the tasks with other hubs
	Repository Hindrance            `json:"repository,omitzero"` // why helm cannot merge
	Unverified Hindrance            `json:"unverified,omitzero"` // why helm cannot run verify.sh
	Unread     Hindrance            `json:"unread,omitzero"`     // why bd cannot read the issues
	InTheWay   map[string]Hindrance `json:"inTheWay,omitempty"`  // by task: the captain's uncommitted changes that its merge would overwrite
}

// ShipView is a ship with its status and all else that readers show of it.
type ShipView struct {
	Ship
	Status    Status           `json:"status"`
	State     proto.AgentState `json:"agentState,omitzero"`
	Task      string           `json:"task,omitempty"` // the task that it holds
	Completed int              `json:"completed"`      // the number of tasks that it has completed
	Conflicts int              `json:"conflicts,omitempty"`
	Unmerged
	Copy
	Charge
	Queue
	Slowed   []string  `json:"slowed,omitempty"` // which of log, copies and requests helm slows down or refuses, as there are too many
	SlowedAt time.Time `json:"slowedAt,omitzero"`
	Turn     int       `json:"turn,omitempty"`     // how many answers its agent has given on this machine or, if they are limited, on its task
	MaxTurns int       `json:"maxTurns,omitempty"` // how many answers its agent may give on its task, 0 for any number
	Usage    Usage     `json:"usage,omitzero"`

	Conversation proto.Conversation `json:"conversation,omitzero"` // the conversation that its agent has now

	Via   string      `json:"via,omitempty"`   // the way by which helm reached it last; see ViaTailnet
	Index proto.Index `json:"index,omitzero"`  // the state of its code search
	Tree  SharedTree  `json:"tree,omitzero"`   // its part of the shared tree, if the voyage has one
	Pause *Pause      `json:"pause,omitempty"` // the captain's pause of this ship; nil for none
	Clash Clash       `json:"clash,omitzero"`  // conflicts of the task that it holds with the branch
	// Committed is since when a pool worker at work has committed nothing; it is zero for a worker that is idle. Nudges is how
	// often helm told the worker to commit since then.
	Committed time.Time     `json:"committed,omitzero"`
	Nudges    int           `json:"nudges,omitempty"`
	Refused   time.Time     `json:"refused,omitzero"`   // since when its agent's service refuses requests, if that has gone on for longer than the service announced
	UsualGap  time.Duration `json:"usualGap,omitempty"` // the longest time that it was recently out of reach before it came back
}

// Copy says what helm has copied of a ship's tree.
type Copy struct {
	Live     string        `json:"live,omitempty"`     // the newest snapshot of the tree
	Copied   time.Time     `json:"copied,omitzero"`    // when the tree was last copied
	Uncopied string        `json:"uncopied,omitempty"` // why the tree could not be copied after Copied
	Ignored  proto.Ignored `json:"ignored,omitzero"`   // the ignored files in the tree, counted when the captain last asked what would be lost with the ship
}

// Charge is what a ship costs.
type Charge struct {
	Costs bool    `json:"costs,omitempty"` // somebody pays for its machine
	Price float64 `json:"price,omitempty"` // US dollars per hour, as the captain set it
	Guard string  `json:"guard,omitempty"` // why the captain should look at its cost, "" when he need not
	Rate  Rate    `json:"rate,omitzero"`   // what its agent cost within an hour, if that is too much
}

// Queue is the messages that a ship's agent has not received yet.
type Queue struct {
	Queued    int    `json:"queued,omitempty"`    // how many they are
	QueuedWhy string `json:"queuedWhy,omitempty"` // why they wait
}

// Clash says how often in a row the work on a task conflicted with the branch, since when, and in which files the
// last time.
type Clash struct {
	Tries int       `json:"tries"`
	Paths []string  `json:"paths,omitempty"` // cleaned for display; some are left out when there are many
	Since time.Time `json:"since"`
}

// FilesText names the first of the files, and says how many more there are.
func (c *Clash) FilesText() string { return firstFew(c.Paths, 0) }

// Note is a message to the captain.
type Note struct {
	At   time.Time `json:"at"`
	Ship string    `json:"ship,omitempty"`
	Task string    `json:"task,omitempty"`
	Text string    `json:"text"`
	// Guard says what happened to the guard of a ship or of the voyage, if the note is about a guard.
	Guard string `json:"guard,omitempty"`
}

// Encode encodes a board for snapshot.json, with a line for each task: there may be thousands, and a reader of an indented board spends
// much of its time on white space.
func (b Board) Encode() (json.RawMessage, error) {
	list := b.Tasks
	if len(list) > 0 {
		b.Tasks = nil
	}
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil || len(list) == 0 {
		return raw, err
	}
	before, after, _ := bytes.Cut(raw, []byte("\n  \"tasks\": null"))
	text := append(bytes.Clone(before), "\n  \"tasks\": ["...)
	for i := range list {
		if i > 0 {
			text = append(text, ',')
		}
		line, err := json.Marshal(&list[i])
		if err != nil {
			return nil, err
		}
		text = append(append(text, "\n    "...), line...)
	}
	return slices.Concat(text, []byte("\n  ]"), after), nil
}

// LoadBoard reads snapshot.json.
func LoadBoard(d Dir) (Board, error) {
	b, err := readBoard(d.BoardFile())
	if err != nil || b.Phase != Sinking {
		return b, err
	}
	// If the disk was full, for example, the last board may not have been written.
	if f, err := LoadFleet(d); err == nil && f.Phase == Sunk {
		b.Phase, b.Ships = Sunk, nil
	}
	return b, nil
}

// readBoard reads a board. While other processors read the tasks, it reads the rest.
func readBoard(path string) (b Board, err error) {
	raw, hasSum, err := summed.Raw(path)
	if err != nil {
		return b, err
	}
	if !hasSum { // so it may be indented in any way
		return b, summed.Decode(path, raw, &b)
	}
	rest, list := jsonread.CutList[tasks.State](raw, "tasks")
	err = summed.Decode(path, rest, &b)
	all, bad := list()
	if bad != nil {
		err = fmt.Errorf("%s: %w: %w", path, summed.ErrDamaged, bad)
	}
	if len(all) > 0 {
		b.Tasks = all
	}
	return b, err
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

// LogLine is a line of logs/<ship>.jsonl. The file is also helm's copy of the ship's journal: Journal and Seq
// identify the record that a line came from, so that nothing is lost or written twice across restarts.
type LogLine struct {
	At      time.Time       `json:"t"`
	Ship    string          `json:"ship"`
	Role    string          `json:"role"`
	Kind    string          `json:"kind"` // a kind of proto.Log, or of a journal record
	Turn    int             `json:"turn,omitempty"`
	Task    string          `json:"task,omitempty"`
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
	Journal string          `json:"journal,omitempty"`
	Seq     int64           `json:"seq,omitempty"`
}

// IsStuck reports whether tasks are open but none is in progress: no ship works on a task, and no task can be claimed, now or
// after a delay, before the captain changes something. The coordinator does not count as working: it holds a task until its
// parts are completed.
func (b *Board) IsStuck() bool {
	if b.Phase != Sailing && b.Phase != Fitting || b.Voyage.Kind.TakesDispatches() { // a failed dispatch does not hinder the others
		return false
	}
	for i := range b.Tasks {
		if t := &b.Tasks[i]; t.Status == tasks.InProgress && t.Owner != Coordinator {
			return false
		}
	}
	done := map[string]bool{}
	parts := map[string]int{} // the number of open parts of each task
	open := 0
	for i := range b.Tasks {
		if t := &b.Tasks[i]; t.Status == tasks.Completed {
			done[t.ID] = true
		} else {
			open++
			parts[t.Parent()]++
		}
	}
	for i := range b.Tasks {
		if t := &b.Tasks[i]; t.Status == tasks.InProgress && parts[t.ID] == 0 {
			return false // helm completes this task itself
		}
	}
	return open > 0 && !slices.ContainsFunc(b.Tasks, func(t tasks.State) bool {
		return t.Status == tasks.Pending && !t.OnHold && !slices.ContainsFunc(t.BlockedBy, func(id string) bool { return !done[id] })
	})
}

// FromSeveral reports whether the ships come from more than one provider, so that it is worth showing.
func FromSeveral(ships []ShipView) bool {
	return slices.ContainsFunc(ships, func(s ShipView) bool { return s.Provider != ships[0].Provider })
}
