// Package api is what commands and the dashboard may ask of helm: requests, answers and the client. They go over
// HTTP on a unix socket.
package api

import (
	"encoding/json"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// API is the version of the interface between helm and its clients.
const API = 1

// Hello tells a client who answers.
type Hello struct {
	API     int       `json:"api"`
	Build   string    `json:"build"` // digest of the binary
	Made    time.Time `json:"made"`  // when it was built
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	Install string    `json:"install"` // whose id marks the machines that it makes
	Voyages []string  `json:"voyages"` // those it looks after

	// Damaged tells why a voyage cannot be looked after, by its id.
	Damaged map[string]string `json:"damaged,omitempty"`
}

// SailRequest asks helm to fit out a voyage whose directory is there, and to set sail.
type SailRequest struct {
	Ships   int               `json:"ships"`
	Secrets map[string]string `json:"secrets,omitempty"` // environment of the agents alone
	Env     map[string]string `json:"env,omitempty"`     // of the agents, not secret
}

// SettleRequest says which side of files counts that a ship and the tree that all share have both changed.
type SettleRequest struct {
	Ship  string   `json:"ship,omitempty"`  // "" for every ship
	Paths []string `json:"paths,omitempty"` // none for all
	Keep  string   `json:"keep"`            // KeepHub, KeepBoth, or the name of a ship
}

// Flushed says what of a voyage's ships did not come into the tree that all share, a line each.
type Flushed struct {
	Missing []string `json:"missing"`
}

// RestoreRequest brings files of the tree that all share back from a copy of it.
type RestoreRequest struct {
	Commit string   `json:"commit"`
	Paths  []string `json:"paths,omitempty"` // none for all
}

// Restored are the files that changed.
type Restored struct {
	Files []string `json:"files"`
}

// What counts of two sides.
const (
	KeepHub  = "hub"
	KeepBoth = "both"
)

// Settled is what became of such files.
type Settled struct {
	Files []string `json:"files"`
	Kept  string   `json:"kept,omitempty"` // directory with the copies that did not count
}

// AddRequest asks for more ships.
type AddRequest struct {
	Ships    int    `json:"ships"`
	Provider string `json:"provider,omitempty"` // a mix.Mix as text, "" for where the voyage's ships come from
	Agent    string `json:"agent,omitempty"`    // of ships that work on tasks, "" for the agent of the others
	Model    string `json:"model,omitempty"`    // of these, "" for that of the others

	Secrets map[string]string `json:"secrets,omitempty"` // environment of that agent alone
	Env     map[string]string `json:"env,omitempty"`     // of that agent, not secret
}

// ReleaseRequest chooses the version of an agent that ships get which are made from now on.
type ReleaseRequest struct {
	Agent   string           `json:"agent"`
	Release packages.Release `json:"release"`
}

// DispatchRequest has a worker of a pool do something.
type DispatchRequest struct {
	Dispatch tasks.Dispatch    `json:"dispatch"`
	Workers  int               `json:"workers"`            // how many there may be; more are made only when none is free
	Provider string            `json:"provider,omitempty"` // where a new machine comes from, "" for where the others come from
	Secrets  map[string]string `json:"secrets,omitempty"`  // environment of the agents alone
	Env      map[string]string `json:"env,omitempty"`      // of the agents, not secret
}

// EpicRequest asks a session for something.
type EpicRequest struct {
	Text     string   `json:"text"`
	Labels   []string `json:"labels,omitempty"`
	Priority int      `json:"priority"` // 0, the most urgent, to 4
}

// EpicAdded is the answer.
type EpicAdded struct {
	Task string `json:"task"`
}

// Dispatched is how a dispatch stands that was accepted.
type Dispatched struct {
	Task   string   `json:"task"`
	Worker string   `json:"worker,omitempty"` // that has it, "" while it waits
	Place  int      `json:"place,omitempty"`  // in the queue, counted from 1
	Coming []string `json:"coming,omitempty"` // workers that are being made
	Paused []string `json:"paused,omitempty"` // the workers that it could go to, when each is paused
	Why    string   `json:"why,omitempty"`    // the first of these is
}

// LookRequest asks what ships have that is not merged, of all of them without names.
type LookRequest struct {
	Ships []string `json:"ships,omitempty"`
}

// KeptIgnored is what was copied of the files that git ignores in a ship's clone.
type KeptIgnored struct {
	Found proto.Ignored `json:"found"`
	Kept  proto.Ignored `json:"kept"`
	Dir   string        `json:"dir,omitempty"` // "" when there were none
}

// IsWhole reports whether all of them were.
func (k KeptIgnored) IsWhole() bool {
	return k.Kept.Files >= k.Found.Files && k.Kept.Bytes >= k.Found.Bytes
}

// VerifyRequest has verify.sh run.
type VerifyRequest struct {
	Accept bool `json:"accept,omitempty"` // the captain agrees to it, to spec.md and to the prompts as they are now
}

// PauseRequest has agents stop at the end of their turns, or now.
type PauseRequest struct {
	Now   bool      `json:"now,omitempty"`
	Until time.Time `json:"until,omitzero"`  // when the pause ends by itself; zero for never
	Ships []string  `json:"ships,omitempty"` // none for the whole voyage
}

// ResumeRequest ends a pause.
type ResumeRequest struct {
	Ships []string `json:"ships,omitempty"` // none for the whole voyage
}

// BudgetRequest sets what a voyage may cost.
type BudgetRequest struct {
	Max float64 `json:"max"` // US dollars; 0 for any sum
}

// RequeueRequest makes a task ready again that a ship has or that is on hold, or puts it on hold.
type RequeueRequest struct {
	Task   string `json:"task"`
	Reason string `json:"reason,omitempty"`
	Hold   bool   `json:"hold,omitempty"`  // no ship gets it before it is requeued
	Fresh  bool   `json:"fresh,omitempty"` // the next ship begins at the branch: existing work is parked
	Agent  string `json:"agent,omitempty"` // the only agent that is to do it from now on, "" for no change
}

// EditRequest changes a task, or adds a task where the edit names none.
type EditRequest struct {
	Edit tasks.Edit `json:"edit"`
}

// Edited tells which task was changed or added.
type Edited struct {
	Task   string `json:"task"`
	Worker string `json:"worker,omitempty"` // the ship that works on it and should know what is different, "" for none
	Told   bool   `json:"told,omitempty"`   // its agent is told
}

// SplitRequest has a task consist of others.
type SplitRequest struct {
	Task  string          `json:"task"`
	Tasks json.RawMessage `json:"tasks"` // as tasks.Split reads them
}

// Split tells into which tasks one was split, and the ship that worked on it, "" for none.
type Split struct {
	Tasks []string `json:"tasks"`
	Ship  string   `json:"ship,omitempty"`
	Kept  string   `json:"kept,omitempty"` // ref with what the ship had not merged
}

// CancelRequest cancels a task for good, and the tasks that go with it.
type CancelRequest struct {
	Task   string   `json:"task"`
	Reason string   `json:"reason,omitempty"`
	Tasks  []string `json:"tasks"` // all that the captain agrees to: see tasks.CancelledWith
}

// RevertRequest takes the work of a completed task back, and has it done again.
type RevertRequest struct {
	Task       string   `json:"task"`
	Dependents bool     `json:"dependents,omitempty"` // with the completed tasks that wait for it
	Why        string   `json:"why,omitempty"`        // its next worker is told
	Tasks      []string `json:"tasks,omitempty"`      // all that the captain agrees to, in the order of Reverted; none to be told what would be done
}

// Reverted tells what was reverted, or would be.
type Reverted struct {
	Tasks  []Lookback `json:"tasks"`            // the newest first
	Stay   []string   `json:"stay,omitempty"`   // completed tasks that depend on it and stay
	ByHand string     `json:"byHand,omitempty"` // the task that takes back the last of them, as the same lines were changed since
}

// Lookback is what a task changed, and who changed the same since.
type Lookback struct {
	Task    string         `json:"task"`
	Subject string         `json:"subject"`
	Commit  string         `json:"commit,omitempty"` // "" when it changed nothing
	Files   int            `json:"files"`
	Since   []ChangedSince `json:"since,omitempty"`
}

// ChangedSince is a later commit that changed the same.
type ChangedSince struct {
	Task   string   `json:"task,omitempty"` // whose work it is, "" when it is no task's
	Commit string   `json:"commit"`
	Files  []string `json:"files"`
	Lines  []string `json:"lines,omitempty"` // files in which it changed the same lines
}

// Requeued says what a task was before it was requeued; it was ready or blocked when both are empty.
type Requeued struct {
	Review bool   `json:"review,omitempty"` // its work was in review
	Ship   string `json:"ship,omitempty"`   // that it was taken from
	OnHold bool   `json:"onHold,omitempty"`
	Kept   string `json:"kept,omitempty"` // ref that keeps what there was of it, "" for nothing
}

// DecideRequest is the captain's word on work that changes files which steer agents.
type DecideRequest struct {
	Task    string `json:"task"`
	Work    string `json:"work"` // that he saw: fleet.Steering has it
	Approve bool   `json:"approve"`
	Reason  string `json:"reason,omitempty"` // that the agent is told
}

// ProposalRequest is the captain's word on a proposal, which is off his list then.
type ProposalRequest struct {
	Proposal int             `json:"proposal"` // its number
	Accept   bool            `json:"accept"`
	Saw      *fleet.Proposal `json:"saw,omitempty"`   // with Accept: as he was shown it
	Tasks    []string        `json:"tasks,omitempty"` // with Accept of a proposal that cancels: as in CancelRequest
	Reason   string          `json:"reason,omitempty"`
}

// ProposalDecided tells which task was added, changed or cancelled, "" for none.
type ProposalDecided struct {
	Task string `json:"task,omitempty"`
}

// SayRequest has a message typed to a ship's agent.
type SayRequest struct {
	// ID makes it safe to ask again; "" for a fresh one.
	ID string `json:"id,omitempty"`
	// Text arrives as it is, up to 64 KB. Control characters but newline and tab are left out.
	Text string `json:"text"`
	// Command says that a leading /, ! or # is a command of the agent's own.
	Command bool `json:"command,omitempty"`
	// Wait is how long to wait for the agent to get it, at most a minute.
	Wait time.Duration `json:"wait,omitempty"`
}

// Said tells what became of a message. It has been accepted in any case: it is kept until
// the agent has it.
type Said struct {
	ID string `json:"id"`
	// Submitted says that the agent itself reported the message.
	Submitted bool `json:"submitted"`
	// Queued says why it waits, "" when it does not. A message that is neither submitted
	// nor queued was typed and nothing more is known, as with most commands.
	Queued string `json:"queued,omitempty"`
	// Altered says that the agent's prompt cannot hold the text exactly, because of tabs or
	// invisible characters. The agent was told the exact text beside it.
	Altered bool `json:"altered,omitempty"`
}

// Interrupted tells what became of an interrupt.
type Interrupted struct {
	Was   bool `json:"was"`   // the agent was working
	Still bool `json:"still"` // it works on, on messages that waited or because it does not heed
}

// Progress is one line of an answer that takes its time. The last line has
// Done or Error set.
type Progress struct {
	At    time.Time     `json:"at"`
	Ship  string        `json:"ship,omitempty"`
	Step  string        `json:"step,omitempty"`
	State string        `json:"state,omitempty"` // start, done, failed, note
	Took  time.Duration `json:"took,omitempty"`
	Text  string        `json:"text,omitempty"`
	Lost  bool          `json:"lost,omitempty"` // Text tells of work that is gone with a machine
	Done  bool          `json:"done,omitempty"`
	Error string        `json:"error,omitempty"`
}

// The states of a step in Progress.
const (
	StepStarted = "start"
	StepDone    = "done"
	StepFailed  = "failed"
	StepNote    = "note"
)
