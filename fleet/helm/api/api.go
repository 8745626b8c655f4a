// Package api is the interface of helm for commands and the dashboard: requests, answers and the client. They use
// HTTP on a Unix socket.
package api

import (
	"encoding/json"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// API is the version of this interface.
const API = 1

// Hello describes the helm that answers.
type Hello struct {
	API     int       `json:"api"`
	Build   string    `json:"build"` // digest of its binary
	Made    time.Time `json:"made"`  // when the binary was built
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	Install string    `json:"install"` // id of the install, which marks the machines that it makes
	Voyages []string  `json:"voyages"` // ids of the voyages that it manages

	// Damaged says why helm cannot manage a voyage, by the voyage's id.
	Damaged map[string]string `json:"damaged,omitempty"`
}

// SailRequest asks helm to provision a voyage whose directory exists, and to start its agents.
type SailRequest struct {
	Ships   int               `json:"ships"`
	Secrets map[string]string `json:"secrets,omitempty"` // environment that only agents get
	Env     map[string]string `json:"env,omitempty"`     // further environment of the agents, not secret
}

// SettleRequest says which version to keep of files that both a ship and the shared tree have changed.
type SettleRequest struct {
	Ship  string   `json:"ship,omitempty"`  // "" for every ship
	Paths []string `json:"paths,omitempty"` // empty for all
	Keep  string   `json:"keep"`            // KeepHub, KeepBoth, or a ship's name
}

// Flushed lists what of a voyage's ships did not get into the shared tree, a line each.
type Flushed struct {
	Missing []string `json:"missing"`
}

// RestoreRequest asks helm to restore files of the shared tree from a snapshot.
type RestoreRequest struct {
	Commit string   `json:"commit"`
	Paths  []string `json:"paths,omitempty"` // empty for all
}

// Restored lists the files that changed.
type Restored struct {
	Files []string `json:"files"`
}

// RepairRequest asks helm to restore what Redis has lost of a session that hubs share. The tasks come from this hub's
// journal, and the completions from the branch.
type RepairRequest struct {
	Beads    bool `json:"beads,omitempty"`    // also take tasks from the issues of Beads on the branch
	CarryOut bool `json:"carryOut,omitempty"` // if false, helm only says what it would restore
}

// Repaired says what was restored, or would be.
type Repaired struct {
	Healthy bool     `json:"healthy,omitempty"` // Redis has lost nothing, and nothing was changed
	Added   []string `json:"added,omitempty"`   // tasks that Redis had lost
	Done    []string `json:"done,omitempty"`    // tasks that are completed
	Held    []string `json:"held,omitempty"`    // tasks that a ship has as before
	Pending []string `json:"pending,omitempty"` // tasks that are pending, or in review
	Others  []string `json:"others,omitempty"`  // subjects of tasks that are not restored, because another task has their id now
}

// Values of SettleRequest.Keep besides the name of a ship.
const (
	KeepHub  = "hub"
	KeepBoth = "both"
)

// Settled is the answer to a SettleRequest.
type Settled struct {
	Files []string `json:"files"`
	Kept  string   `json:"kept,omitempty"` // directory with copies of the other versions
}

// AddRequest asks for more ships.
type AddRequest struct {
	Ships    int    `json:"ships"`
	Provider string `json:"provider,omitempty"` // a mix.Mix as text, "" for the providers of the voyage's other ships
	Agent    string `json:"agent,omitempty"`    // of ships that work on tasks, "" for that of the other ships
	Model    string `json:"model,omitempty"`    // of the agents of these ships, "" for that of the other ships

	Secrets map[string]string `json:"secrets,omitempty"` // environment that only these agents get
	Env     map[string]string `json:"env,omitempty"`     // further environment of these agents, not secret
}

// ReleaseRequest chooses the version of an agent that new ships get.
type ReleaseRequest struct {
	Agent   string           `json:"agent"`
	Release packages.Release `json:"release"`
}

// DispatchRequest gives a command to a worker of a pool.
type DispatchRequest struct {
	Dispatch tasks.Dispatch    `json:"dispatch"`
	Workers  int               `json:"workers"`            // how many workers there may be; new ones are made only when none is free
	Provider string            `json:"provider,omitempty"` // the provider of a new worker, "" for that of the others
	Secrets  map[string]string `json:"secrets,omitempty"`  // environment that only agents get
	Env      map[string]string `json:"env,omitempty"`      // further environment of the agents, not secret
}

// EpicRequest gives a session a new task for its planner.
type EpicRequest struct {
	Text     string   `json:"text"`
	Labels   []string `json:"labels,omitempty"`
	Priority int      `json:"priority"` // from 0, the most urgent, to 4
}

// EpicAdded is the answer to an EpicRequest.
type EpicAdded struct {
	Task string `json:"task"`
}

// Dispatched is the state of an accepted dispatch.
type Dispatched struct {
	Task   string   `json:"task"`
	Worker string   `json:"worker,omitempty"` // the worker that has it, "" while it waits
	Place  int      `json:"place,omitempty"`  // place in the queue, from 1
	Coming []string `json:"coming,omitempty"` // names of workers that are being made
	Paused []string `json:"paused,omitempty"` // names of the workers that could do it, if all of them are paused
	Why    string   `json:"why,omitempty"`    // why the first of these ships is paused
}

// LookRequest asks for the unmerged work of ships, of all ships if Ships is empty.
type LookRequest struct {
	Ships []string `json:"ships,omitempty"`
}

// KeptIgnored says which git-ignored files of a ship's clone were copied.
type KeptIgnored struct {
	Found proto.Ignored `json:"found"`
	Kept  proto.Ignored `json:"kept"`
	Dir   string        `json:"dir,omitempty"` // the directory with the copies, "" when there are none
}

// IsWhole reports whether all files were copied.
func (k KeptIgnored) IsWhole() bool {
	return k.Kept.Files >= k.Found.Files && k.Kept.Bytes >= k.Found.Bytes
}

// VerifyRequest asks helm to run verify.sh.
type VerifyRequest struct {
	Accept bool `json:"accept,omitempty"` // the captain agrees to verify.sh, spec.md and the prompts as they are now
}

// PauseRequest asks agents to stop at the end of their turns, or at once.
type PauseRequest struct {
	Now   bool      `json:"now,omitempty"`
	Until time.Time `json:"until,omitzero"`  // when the pause ends by itself; zero for never
	Ships []string  `json:"ships,omitempty"` // empty for the whole voyage
}

// ResumeRequest ends a pause.
type ResumeRequest struct {
	Ships []string `json:"ships,omitempty"` // empty for the whole voyage
}

// BudgetRequest sets the budget of a voyage.
type BudgetRequest struct {
	Max float64 `json:"max"` // US dollars; 0 for no limit
}

// RequeueRequest requeues a task that is in progress, in review or on hold, or puts a task on hold.
type RequeueRequest struct {
	Task   string `json:"task"`
	Reason string `json:"reason,omitempty"`
	Hold   bool   `json:"hold,omitempty"`  // no ship gets the task before another requeue
	Fresh  bool   `json:"fresh,omitempty"` // the next ship starts from the branch, and existing work is parked
	Agent  string `json:"agent,omitempty"` // the only agent that may do the task from now on, "" for no change
}

// EditRequest changes a task, or adds one if the edit names no task.
type EditRequest struct {
	Edit tasks.Edit `json:"edit"`
}

// Edited says which task was changed or added.
type Edited struct {
	Task   string `json:"task"`
	Worker string `json:"worker,omitempty"` // the ship that works on the task and should know of the change, "" for none
	Told   bool   `json:"told,omitempty"`   // the ship's agent was told
}

// SplitRequest replaces a task by several.
type SplitRequest struct {
	Task  string          `json:"task"`
	Tasks json.RawMessage `json:"tasks"` // in the form that tasks.Split reads
}

// Split lists the tasks into which a task was split, and names the ship that worked on it, "" for none.
type Split struct {
	Tasks []string `json:"tasks"`
	Ship  string   `json:"ship,omitempty"`
	Kept  string   `json:"kept,omitempty"` // the ref with the ship's unmerged work
}

// CancelRequest cancels a task for good, and the tasks that are cancelled with it.
type CancelRequest struct {
	Task   string   `json:"task"`
	Reason string   `json:"reason,omitempty"`
	Tasks  []string `json:"tasks"` // all tasks to cancel, to which the captain agrees; see tasks.CancelledWith
}

// RevertRequest reverts the work of a completed task, which is then to be done again.
type RevertRequest struct {
	Task       string   `json:"task"`
	Dependents bool     `json:"dependents,omitempty"` // also revert the completed tasks that wait for the task
	Why        string   `json:"why,omitempty"`        // the reason, for the next worker
	Tasks      []string `json:"tasks,omitempty"`      // all tasks to revert, to which the captain agrees, in the order of Reverted; if empty, helm only says what it would revert
}

// Reverted says what was reverted, or what would be.
type Reverted struct {
	Tasks  []Lookback `json:"tasks"`            // newest first
	Stay   []string   `json:"stay,omitempty"`   // completed tasks that depend on a reverted task and stay completed
	ByHand string     `json:"byHand,omitempty"` // id of a task to revert the last one, since its lines were changed later
}

// Lookback says what a task changed, and who changed the same files since.
type Lookback struct {
	Task    string         `json:"task"`
	Subject string         `json:"subject"`
	Commit  string         `json:"commit,omitempty"` // "" when the task changed nothing
	Files   int            `json:"files"`
	Since   []ChangedSince `json:"since,omitempty"`
}

// ChangedSince is a later commit that changed the same files.
type ChangedSince struct {
	Task   string   `json:"task,omitempty"` // the task that made the commit, "" when no task did
	Commit string   `json:"commit"`
	Files  []string `json:"files"`
	Lines  []string `json:"lines,omitempty"` // files in which it changed the same lines
}

// Requeued is the state of a task before it was requeued. If both Review and Ship are empty, the task was ready or
// blocked.
type Requeued struct {
	Review bool   `json:"review,omitempty"` // the task was in review
	Ship   string `json:"ship,omitempty"`   // the ship that held the task
	OnHold bool   `json:"onHold,omitempty"`
	Kept   string `json:"kept,omitempty"` // the ref that keeps the work so far, "" for none
}

// DecideRequest is the captain's decision about work that changes files which steer agents.
type DecideRequest struct {
	Task    string `json:"task"`
	Work    string `json:"work"` // the work that he saw, as in fleet.Steering
	Approve bool   `json:"approve"`
	Reason  string `json:"reason,omitempty"` // the reason, for the agent
}

// ProposalRequest is the captain's decision about a proposal, which is then removed from his list.
type ProposalRequest struct {
	Proposal int             `json:"proposal"` // the proposal's number
	Accept   bool            `json:"accept"`
	Saw      *fleet.Proposal `json:"saw,omitempty"`   // with Accept: the proposal that the captain saw
	Tasks    []string        `json:"tasks,omitempty"` // with Accept of a proposal to cancel: as in CancelRequest
	Reason   string          `json:"reason,omitempty"`
}

// ProposalDecided says which task was added, changed or cancelled, "" for none.
type ProposalDecided struct {
	Task string `json:"task,omitempty"`
}

// SayRequest sends a message to a ship's agent.
type SayRequest struct {
	// ID identifies the message, so that a request can be repeated; "" for a new message.
	ID string `json:"id,omitempty"`
	// Text is sent unchanged, up to 64 KB, except that control characters other than newline and tab are removed.
	Text string `json:"text"`
	// Command says that a /, ! or # at the beginning is a command of the agent itself.
	Command bool `json:"command,omitempty"`
	// Wait is how long to wait until the agent has got the message, at most a minute.
	Wait time.Duration `json:"wait,omitempty"`
}

// Said says what became of a message. Helm has accepted it in any case, and keeps it until the agent has got it.
type Said struct {
	ID string `json:"id"`
	// Submitted says that the agent itself has reported the message.
	Submitted bool `json:"submitted"`
	// Queued says why the message waits, "" when it does not. A message that is neither submitted nor queued was typed,
	// but nothing has reported it, as happens with most commands.
	Queued string `json:"queued,omitempty"`
	// Altered says that the agent's prompt cannot hold the text exactly, because of tabs or invisible characters. The
	// agent got the exact text separately.
	Altered bool `json:"altered,omitempty"`
}

// Interrupted is the result of an interrupt.
type Interrupted struct {
	Was   bool `json:"was"`   // the agent was working
	Still bool `json:"still"` // the agent still works: on messages that waited, or because it ignores the interrupt
}

// Progress is one line of an answer that takes long. The last line has Done or Error set.
type Progress struct {
	At    time.Time     `json:"at"`
	Ship  string        `json:"ship,omitempty"`
	Step  string        `json:"step,omitempty"`
	State string        `json:"state,omitempty"` // start, done, failed, note
	Took  time.Duration `json:"took,omitempty"`
	Text  string        `json:"text,omitempty"`
	Lost  bool          `json:"lost,omitempty"` // Text is about work that is lost with a machine
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
