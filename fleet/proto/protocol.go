// Package proto has what hub and ship tell each other: messages, states and events.
package proto

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/tasks"
)

// Version of the protocol between helm and a ship. Both run the same build, as
// helm brings its own binary aboard; a difference means that the ship waits for
// the new one.
const Version = 1

// What a ship asks of helm. The text of an error is meant for the agent.
const (
	MethodHello    = "hello"    // Hello → Welcome; the first call on a connection
	MethodEvents   = "events"   // Events → nothing; the reply is the acknowledgement
	MethodClaim    = "claim"    // ClaimRequest → Grant
	MethodMeaning  = "meaning"  // MeaningRequest → Meanings
	MethodComplete = "complete" // CompleteRequest → Completed
	MethodRelease  = "release"  // ReleaseRequest → nothing
	MethodWait     = "wait"     // WaitRequest → Verdict, as soon as there is one
	MethodPlan     = "plan"     // PlanRequest → Planned: the tasks into which a planner breaks down its own
	MethodReview   = "review"   // ReviewRequest → Reviewed: what a validator says of the work that it holds
	MethodFate     = "fate"     // Claim → Fate: what became of a claim that the task list does not show
	MethodPulse    = "pulse"    // Pulse, a notification
)

// What helm asks of a ship.
const (
	MethodTasks = "tasks" // TaskUpdate → nothing: the view of the task list
	MethodSay   = "say"   // Say → Said: type a message to the agent
	MethodMail  = "mail"  // mailbox.Message → Mail: take over a message of the captain's
	MethodPause = "pause" // nothing → Paused: interrupt what the agent does
	MethodAllow = "allow" // Allowance → nothing: what the agent may cost while helm is away
)

// The codes of wire errors by which a ship tells refusals apart.
const (
	CodeConflict = "conflict" // from helm: the work conflicts, the ship's tree holds the markers
	CodeCheck    = "check"    // from helm: the task's own check failed
	CodeAway     = "away"     // within the ship: helm is not connected; asking again may help
	CodeLost     = "lost"     // within the ship: the claim was taken back
)

// Hello introduces a ship.
type Hello struct {
	Protocol int    `json:"protocol"`
	Voyage   string `json:"voyage"`
	Ship     string `json:"ship"`
	Journal  string `json:"journal"` // id of the journal file; another id means that the journal starts over
	End      int64  `json:"end"`     // its length
}

// Welcome tells the ship where to go on.
type Welcome struct {
	From int64 `json:"from"` // first journal byte that helm does not have
}

// Event is one record of the ship's journal.
type Event struct {
	Seq  int64           `json:"seq"` // journal offset just past it
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"` // see the Kind constants
	Data json.RawMessage `json:"data,omitempty"`
}

// Events is a batch in journal order, at most a few hundred records.
type Events struct {
	Events []Event   `json:"events"`
	Now    time.Time `json:"now,omitzero"` // by the ship's clock
}

// The kinds of journal records on a ship, with the type of their data.
const (
	KindAgentStarted = "agent.started" // AgentStarted
	KindAgentExited  = "agent.exited"  // AgentExited
	KindAgentState   = "agent.state"   // AgentState
	KindLog          = "log"           // Log
	KindTamper       = "tamper"        // Tamper
	KindProposal     = "proposal"      // Proposal
	KindUsage        = "agent.usage"   // Usage
	KindMail         = "mail"          // Mail
)

// AgentStarted says that the runner starts the agent. It is written just before, so that nothing
// that the agent's hooks write comes ahead of it.
type AgentStarted struct {
	Agent   string `json:"agent"`
	Session string `json:"session,omitempty"` // the agent's own session id, when known
	Resumed bool   `json:"resumed,omitempty"`
	Start   int    `json:"start"` // how often it was started on this ship, from 1
}

// AgentExited says how the agent ended and whether the runner starts it again.
type AgentExited struct {
	Code   int           `json:"code"`             // exit code, -1 when killed by a signal
	Signal string        `json:"signal,omitempty"` // name of the signal
	Final  bool          `json:"final"`            // it is not started again
	Done   bool          `json:"done,omitempty"`   // as it has nothing left to do: helm starts it when there is something
	Reason string        `json:"reason,omitempty"` // why it is final
	Next   time.Duration `json:"next,omitempty"`   // pause before the next start
}

// HowText says in words how the agent ended.
func (e AgentExited) HowText() string {
	switch {
	case e.Signal != "":
		return "signal " + e.Signal
	case e.Reason != "":
		return e.Reason
	default:
		return fmt.Sprintf("exit code %d", e.Code)
	}
}

// FinalState is what a final end means for the ship.
func (e AgentExited) FinalState() State {
	if e.Code == 0 && e.Signal == "" {
		return StateResting
	}
	return StateFailed
}

// AgentState is what the agent itself reports, through its hooks or its commands.
type AgentState struct {
	State   State  `json:"state"`
	Task    string `json:"task,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Why     string `json:"why,omitempty"` // for waiting, failed and limited
	Session string `json:"session,omitempty"`

	// Trouble is what the error was that ended a turn, one of agent.TroubleKind, and
	// Until when it passes by itself, zero when that is unknown.
	Trouble string    `json:"trouble,omitempty"`
	Until   time.Time `json:"until,omitzero"`

	// Late says of idle that only the agent's empty prompt tells it, some time after it came
	// about: it ends work that ended without a word, and nothing else.
	Late bool `json:"late,omitempty"`
}

// State is one word for what an agent does.
type State string

// The states that an agent can report.
const (
	StateStarting State = "starting"
	StateWorking  State = "working"
	StateWaiting  State = "waiting" // for a person
	StateIdle     State = "idle"    // its turn ended; nothing claimable or waiting to be woken
	StateResting  State = "resting" // all is done
	StateFailed   State = "failed"
	StateLimited  State = "limited" // usage limit or API errors
)

// Log is a line of the ship's log.
type Log struct {
	Text string `json:"text"`
	Turn int    `json:"turn,omitempty"`
	Task string `json:"task,omitempty"`
	Kind string `json:"kind,omitempty"` // say, tool, result, out, note, error

	Sum     string `json:"sum,omitempty"`     // of a prompt: the gist of its whole text
	Altered bool   `json:"altered,omitempty"` // of a prompt: not exactly as the captain wrote it
}

// Tamper reports a task file that somebody changed behind the store's back.
type Tamper struct {
	Task    string   `json:"task"`
	What    string   `json:"what"`              // as in dirstore.What: edited, created, deleted, damaged
	Fields  []string `json:"fields,omitempty"`  // that were edited
	Subject string   `json:"subject,omitempty"` // as it was found, where it could be read
}

// ClaimRequest asks for a task; an empty id asks for the best ready one.
type ClaimRequest struct {
	Task string `json:"task,omitempty"`
}

// Grant answers a claim: the task is the ship's and its tree is at Commit.
type Grant struct {
	Task   tasks.Task `json:"task"`
	Epoch  uint64     `json:"epoch"`
	Commit string     `json:"commit"`
	Group  []string   `json:"group,omitempty"`
	Review bool       `json:"review,omitempty"` // the ship is to review what was handed in
	Again  bool       `json:"again,omitempty"`  // the ship held it already; its tree was left alone
	Notes  []string   `json:"notes,omitempty"`  // what the agent should know, e.g. that leftovers were parked
}

// Claim names one grant of a task.
type Claim struct {
	Task  string `json:"task"`
	Epoch uint64 `json:"epoch"`
}

// Fate is what became of a claim. The ship itself ended a claim that is neither held nor lost.
type Fate struct {
	Held bool   `json:"held,omitempty"` // it stands
	Why  string `json:"why,omitempty"`  // it was taken back, in words
	Kept string `json:"kept,omitempty"` // ref on the hub with what was not merged

	// GoesOn says that the ship's agent has taken as many turns as it may, and is to go on with the task later.
	GoesOn bool `json:"goes_on,omitempty"`
}

// PlanRequest hands in the tasks into which the ship breaks down a task that it holds. The same request again changes
// nothing.
type PlanRequest struct {
	Claim Claim           `json:"claim"` // of the task that is broken down
	Tasks json.RawMessage `json:"tasks"` // what tasks.Breakdown reads
}

// Planned says what was added.
type Planned struct {
	Task  string `json:"task"`  // that was broken down
	Added int    `json:"added"` // tasks
}

// ReviewRequest hands in what a validator says of work.
type ReviewRequest struct {
	Claim  Claim           `json:"claim"`  // of the task that is reviewed
	Review json.RawMessage `json:"review"` // what tasks.ReadReview reads
}

// Reviewed names the task that was reviewed.
type Reviewed struct {
	Task string `json:"task"`
}

// CompleteRequest asks for the ship's work to be merged as the result of the task.
type CompleteRequest struct {
	Claim
	Summary string `json:"summary,omitempty"` // for the commit message
}

// Completed answers a completion.
type Completed struct {
	Commit  string `json:"commit"`
	Changed int    `json:"changed"`          // files
	Empty   bool   `json:"empty,omitempty"`  // nothing changed
	Open    bool   `json:"open,omitempty"`   // the ship is done, and others go on with the task
	Review  bool   `json:"review,omitempty"` // as it is reviewed next
}

// ReleaseRequest gives a task back.
type ReleaseRequest struct {
	Claim
	Reason string `json:"reason,omitempty"`

	// Trouble is what is wrong with the ship itself, so that nothing can be done on it.
	Trouble string `json:"trouble,omitempty"`
}

// WaitRequest asks what to do next; the answer comes when there is one.
type WaitRequest struct {
	Ended bool   `json:"ended,omitempty"` // a turn of the agent has just ended well
	Said  string `json:"said,omitempty"`  // its last words in it

	// Queued is what the agent was told meanwhile and begins with at once, by the gist of each.
	Queued []string `json:"queued,omitempty"`
}

// Verdict is the answer to a wait.
type Verdict struct {
	Act   Act      `json:"act"`
	Ready []string `json:"ready,omitempty"` // for ActClaim: what is claimable, best first
	Held  string   `json:"held,omitempty"`  // for ActContinue: the task that the ship holds
	Why   string   `json:"why,omitempty"`
}

// Act is what an agent that has ended its turn should do.
type Act string

// The acts.
const (
	ActClaim    Act = "claim"    // something is claimable
	ActContinue Act = "continue" // the ship still holds a task
	ActRest     Act = "rest"     // nothing is left to do
	ActListen   Act = "listen"   // a message is on its way: end the turn to read it
)

// Proposal is a change to the task list that an agent would like.
type Proposal struct {
	Task  string          `json:"task,omitempty"` // "" for a new one
	Text  string          `json:"text"`           // in words
	Input json.RawMessage `json:"input,omitempty"`
}

// Pulse says which parts of the ship are alive. Sent every few seconds and on change.
type Pulse struct {
	Pane   bool   `json:"pane"`   // the tmux pane with the runner is there
	Runner bool   `json:"runner"` // the runner's process lives
	Agent  bool   `json:"agent"`  // the agent's process lives
	Title  string `json:"title,omitempty"`

	// What the pane shows and no hook reports: an unanswered question, and that the agent repeats a
	// request. Both in words, "" for none.
	Screen string `json:"screen,omitempty"`
	Retry  string `json:"retry,omitempty"`

	Index Index `json:"index,omitzero"` // of its search in code, as it was read when its agent began
}

// TaskUpdate brings the ship's view of the task list up to date.
type TaskUpdate struct {
	Full  bool         `json:"full,omitempty"`  // Tasks is the whole list; what is not in it goes
	More  bool         `json:"more,omitempty"`  // another part of a full list follows
	Tasks []tasks.Task `json:"tasks,omitempty"` // new and changed ones
}

// Say is a message from the captain to the agent.
type Say struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Said answers a Say.
type Said struct {
	Heard bool `json:"heard"` // the agent's own hook reported the message
}

// Mail tells how a message of the captain's stands.
type Mail struct {
	ID      string    `json:"id"`
	State   MailState `json:"state"`
	Why     string    `json:"why,omitempty"`     // it waits
	Altered bool      `json:"altered,omitempty"` // the agent's prompt changed what no prompt of its keeps; it was told the exact text
}

// MailState is how a message stands.
type MailState string

// The states of a message.
const (
	MailQueued    MailState = "queued"    // it waits for an agent that can take it
	MailSubmitted MailState = "submitted" // the agent itself has told that it got it
	MailTyped     MailState = "typed"     // it was typed and its prompt took it; the agent told nothing
)

// Paused answers a request to interrupt the agent.
type Paused struct {
	Was   bool `json:"was"`   // it was working
	Still bool `json:"still"` // it works on: on messages or tasks that waited, or it does not heed the interrupt
}

// Ship is the file ~/.ocaptain/ship.json that tells a ship who it is. It holds no secret.
type Ship struct {
	Voyage    string            `json:"voyage"`
	Name      string            `json:"ship"`
	Role      string            `json:"role"`
	Agent     string            `json:"agent"`
	Version   string            `json:"agent_version,omitempty"` // the only one of the agent that will do, "" where that is known
	List      string            `json:"list"`                    // task list id
	Workspace string            `json:"workspace"`               // absolute
	Model     string            `json:"model,omitempty"`
	Env       map[string]string `json:"env,omitempty"` // for the agent, nothing secret
	Prompt    string            `json:"prompt"`        // what the agent is told first

	// Given says that its agent is told what to do, and claims nothing.
	Given bool `json:"given,omitempty"`

	// Telemetry says that what the agent measures of itself goes to helm, and Contents that it may tell of prompts and of tools.
	Telemetry bool `json:"telemetry,omitempty"`
	Contents  bool `json:"contents,omitempty"`

	// Search says that the agent is given tools that find code, and Tools which of its own it has.
	Search bool        `json:"search,omitempty"`
	Tools  agent.Tools `json:"tools,omitzero"`

	// Embeddings says that helm makes vectors of its code.
	Embeddings   bool               `json:"embeddings,omitempty"`
	Conversation agent.Conversation `json:"conversation,omitempty"` // what one of its agent is about, where that has hooks

	// Custom is the definition of Agent when it is the captain's own.
	Custom *agent.Custom `json:"custom_agent,omitempty"`
}

// Proof is what a probe found out, as JSON on one line.
type Proof struct {
	Works   bool   `json:"works"`
	Text    string `json:"text,omitempty"`    // what is wrong
	Fix     string `json:"fix,omitempty"`     // what to do about it
	Passing bool   `json:"passing,omitempty"` // it goes away by itself
}

// Interrupted is why an agent waits that the captain interrupted.
const Interrupted = "interrupted; send it a message to go on"

// Overspent is why an agent waits that its ship interrupted while helm was away. Helm has it go on.
const Overspent = "interrupted; it cost as much as it may while helm is away"

// Nests is the variable by which the hub says that a command makes walls of its own. Where programs of a ship are kept from that,
// the command finds in it the file of the filter of system calls that keeps them: what it lets in behind its walls needs that, too.
const Nests = "OCAPTAIN_NESTS"
