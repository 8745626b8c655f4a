// Package proto defines what hub and ship send each other: messages, states and events.
package proto

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/tasks"
)

// Version is the version of the protocol between helm and a ship. Both run the same build, since helm installs its
// own program on the ship. If the versions differ, the ship waits for the new program.
const Version = 1

// Methods that a ship calls at helm. The text of an error is for the agent.
const (
	MethodHello    = "hello"    // Hello → Welcome; the first call on a connection
	MethodEvents   = "events"   // Events → nothing; the reply acknowledges the events
	MethodClaim    = "claim"    // ClaimRequest → Grant
	MethodMeaning  = "meaning"  // MeaningRequest → Meanings
	MethodComplete = "complete" // CompleteRequest → Completed
	MethodRelease  = "release"  // ReleaseRequest → nothing
	MethodWait     = "wait"     // WaitRequest → Verdict, as soon as there is one
	MethodPlan     = "plan"     // PlanRequest → Planned: the tasks into which a ship breaks down its task
	MethodReview   = "review"   // ReviewRequest → Reviewed: a validator's decision about work
	MethodFate     = "fate"     // Claim → Fate: what became of a claim that the task list does not show
	MethodPulse    = "pulse"    // Pulse, a notification
)

// Methods that helm calls at a ship.
const (
	MethodTasks = "tasks" // TaskUpdate → nothing: updates the ship's view of the task list
	MethodSay   = "say"   // Say → Said: type a message to the agent
	MethodMail  = "mail"  // mailbox.Message → Mail: hands over a message of the captain
	MethodPause = "pause" // nothing → Paused: interrupts the agent
	MethodAllow = "allow" // Allowance → nothing: what the agent may cost while helm is away
)

// Codes of errors by which a ship distinguishes refusals.
const (
	CodeConflict = "conflict" // from helm: the work conflicts; the ship's tree now has conflict markers
	CodeCheck    = "check"    // from helm: the task's own check failed
	CodeAway     = "away"     // within the ship: helm is not connected; a retry may help
	CodeLost     = "lost"     // within the ship: the claim was taken back
)

// Hello is the first message of a ship.
type Hello struct {
	Protocol int    `json:"protocol"`
	Voyage   string `json:"voyage"`
	Ship     string `json:"ship"`
	Journal  string `json:"journal"` // id of the journal; a new id means that the journal starts over
	End      int64  `json:"end"`     // size of the journal in bytes
}

// Welcome is helm's answer to Hello.
type Welcome struct {
	From int64 `json:"from"` // offset of the first byte of the journal that helm does not have
}

// Event is one record of the ship's journal.
type Event struct {
	Seq  int64           `json:"seq"` // offset in the journal just past the record
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"` // see the Kind constants
	Data json.RawMessage `json:"data,omitempty"`
}

// Events is a batch in journal order, at most a few hundred records.
type Events struct {
	Events []Event   `json:"events"`
	Now    time.Time `json:"now,omitzero"` // time of the ship's clock
}

// Kinds of records in a ship's journal, with the types of their data.
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

// AgentStarted says that the runner starts the agent. It is written just before the start, so that it comes before
// all records of the agent's hooks.
type AgentStarted struct {
	Agent   string `json:"agent"`
	Session string `json:"session,omitempty"` // the agent's id of its session, if known
	Resumed bool   `json:"resumed,omitempty"`
	Start   int    `json:"start"` // the number of this start on the ship, from 1
}

// AgentExited says how the agent ended and whether the runner starts it again.
type AgentExited struct {
	Code   int           `json:"code"`             // exit code, -1 when killed by a signal
	Signal string        `json:"signal,omitempty"` // name of the signal
	Final  bool          `json:"final"`            // the runner does not start the agent again
	Done   bool          `json:"done,omitempty"`   // with Final: the agent has nothing left to do, and helm starts it when there is something
	Reason string        `json:"reason,omitempty"` // why it is Final
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

// FinalState returns the state of an agent that has ended for good.
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

	// Trouble is the kind of the error that ended a turn, one of agentlog.TroubleKind, and Until when it passes by
	// itself, zero if unknown.
	Trouble string    `json:"trouble,omitempty"`
	Until   time.Time `json:"until,omitzero"`

	// Late, with idle, says that only the agent's empty prompt shows that it is idle, some time after the turn ended.
	// Helm takes it as the end of work whose end no hook reported, and as nothing else.
	Late bool `json:"late,omitempty"`
}

// State says in one word what an agent does.
type State string

// The states that an agent can report.
const (
	StateStarting State = "starting"
	StateWorking  State = "working"
	StateWaiting  State = "waiting" // for a person
	StateIdle     State = "idle"    // its turn has ended; it has nothing to claim, or waits to be woken
	StateResting  State = "resting" // nothing is left to do
	StateFailed   State = "failed"
	StateLimited  State = "limited" // stopped by a usage limit or API errors
)

// Log is a line of the ship's log.
type Log struct {
	Text string `json:"text"`
	Turn int    `json:"turn,omitempty"`
	Task string `json:"task,omitempty"`
	Kind string `json:"kind,omitempty"` // say, tool, result, out, note, error

	Sum     string `json:"sum,omitempty"`     // of a prompt: a checksum that identifies its text
	Altered bool   `json:"altered,omitempty"` // of a prompt: it differs from what the captain wrote
}

// Tamper reports that somebody changed a task file without going through the store.
type Tamper struct {
	Task    string   `json:"task"`
	What    string   `json:"what"`              // as in taskdir.What: edited, created, deleted, damaged
	Fields  []string `json:"fields,omitempty"`  // the edited fields
	Subject string   `json:"subject,omitempty"` // the subject in the changed file, if that was readable
}

// ClaimRequest claims a task; an empty id claims the best ready task.
type ClaimRequest struct {
	Task string `json:"task,omitempty"`
}

// Grant is the answer to a claim: the ship holds the task, and its tree is at Commit.
type Grant struct {
	Task   tasks.Task `json:"task"`
	Epoch  uint64     `json:"epoch"`
	Commit string     `json:"commit"`
	Group  []string   `json:"group,omitempty"`
	Review bool       `json:"review,omitempty"` // the ship has to review the handed-in work
	Again  bool       `json:"again,omitempty"`  // the ship already held the task; its tree was left alone
	Notes  []string   `json:"notes,omitempty"`  // what the agent should know, such as that leftovers were parked
}

// Claim identifies one grant of a task.
type Claim struct {
	Task  string `json:"task"`
	Epoch uint64 `json:"epoch"`
}

// Fate says what became of a claim. If Held is false and Why is empty, the ship itself ended the claim.
type Fate struct {
	Held bool   `json:"held,omitempty"` // the ship still holds the claim
	Why  string `json:"why,omitempty"`  // why the claim was taken back, in words
	Kept string `json:"kept,omitempty"` // the ref on the hub with unmerged work

	// GoesOn says that the agent has used all its turns, and has to continue the task later.
	GoesOn bool `json:"goes_on,omitempty"`
}

// PlanRequest hands in the tasks into which the ship breaks down a task that it holds. Repeating the request changes nothing.
type PlanRequest struct {
	Claim Claim           `json:"claim"` // the claim on the task that is broken down
	Tasks json.RawMessage `json:"tasks"` // in the form that tasks.Breakdown reads
}

// Planned says how many tasks were added.
type Planned struct {
	Task  string `json:"task"`  // the task that was broken down
	Added int    `json:"added"` // number of tasks
}

// ReviewRequest hands in a validator's review.
type ReviewRequest struct {
	Claim  Claim           `json:"claim"`  // the claim on the task that is reviewed
	Review json.RawMessage `json:"review"` // in the form that tasks.ReadReview reads
}

// Reviewed names the reviewed task.
type Reviewed struct {
	Task string `json:"task"`
}

// CompleteRequest asks helm to merge the ship's work as the result of the task.
type CompleteRequest struct {
	Claim
	Summary string `json:"summary,omitempty"` // for the commit message
}

// Completed is the answer to a CompleteRequest.
type Completed struct {
	Commit  string `json:"commit"`
	Changed int    `json:"changed"`          // number of changed files
	Empty   bool   `json:"empty,omitempty"`  // the work changes nothing
	Open    bool   `json:"open,omitempty"`   // the ship is done with the task, but others continue it
	Review  bool   `json:"review,omitempty"` // with Open: the work is reviewed next
}

// ReleaseRequest ends the ship's claim without a result.
type ReleaseRequest struct {
	Claim
	Reason string `json:"reason,omitempty"`

	// Trouble says what is wrong with the ship itself, so that it can do no task; "" if nothing is.
	Trouble string `json:"trouble,omitempty"`
}

// WaitRequest asks helm what to do next. Helm answers when there is something to do.
type WaitRequest struct {
	Ended bool   `json:"ended,omitempty"` // a turn of the agent has just ended well
	Said  string `json:"said,omitempty"`  // the agent's last words in that turn

	// Queued are the gists of messages that the agent got during the turn and begins with at once.
	Queued []string `json:"queued,omitempty"`
}

// Verdict is helm's answer to a WaitRequest.
type Verdict struct {
	Act   Act      `json:"act"`
	Ready []string `json:"ready,omitempty"` // for ActClaim: the claimable tasks, the best one first
	Held  string   `json:"held,omitempty"`  // for ActContinue: the task that the ship holds
	Why   string   `json:"why,omitempty"`
}

// Act is what an agent has to do after its turn.
type Act string

// The acts.
const (
	ActClaim    Act = "claim"    // claim a task
	ActContinue Act = "continue" // continue the task that the ship still holds
	ActRest     Act = "rest"     // rest: nothing is left to do
	ActListen   Act = "listen"   // end the turn, to read a message that is coming
)

// Proposal is a change to the task list that an agent proposes.
type Proposal struct {
	Task  string          `json:"task,omitempty"` // "" for a new task
	Text  string          `json:"text"`           // the proposal in words
	Input json.RawMessage `json:"input,omitempty"`
}

// Pulse says which processes of the ship are alive. The ship sends it every few seconds and at every change.
type Pulse struct {
	Pane   bool   `json:"pane"`   // the tmux pane of the runner exists
	Runner bool   `json:"runner"` // the runner's process lives
	Agent  bool   `json:"agent"`  // the agent's process lives
	Title  string `json:"title,omitempty"`

	// What the pane shows and no hook reports: an unanswered question, and that the agent repeats a request. Both are in words, "" for none.
	Screen string `json:"screen,omitempty"`
	Retry  string `json:"retry,omitempty"`

	Index Index `json:"index,omitzero"` // the state of its code search when the agent began to use it
}

// TaskUpdate updates the ship's view of the task list.
type TaskUpdate struct {
	Full  bool         `json:"full,omitempty"`  // Tasks is the whole list; the ship drops all other tasks
	More  bool         `json:"more,omitempty"`  // the full list has another part, which follows
	Tasks []tasks.Task `json:"tasks,omitempty"` // new and changed tasks
}

// Say is a message of helm for the agent, typed at once or not at all.
type Say struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Said is the answer to Say.
type Said struct {
	Heard bool `json:"heard"` // the agent's own hook reported the message
}

// Mail reports the state of a message of the captain.
type Mail struct {
	ID      string    `json:"id"`
	State   MailState `json:"state"`
	Why     string    `json:"why,omitempty"`     // why the message waits
	Altered bool      `json:"altered,omitempty"` // the agent's prompt changed tabs or invisible characters; the agent was told the exact text
}

// MailState is the state of a message of the captain.
type MailState string

// The states of a message.
const (
	MailQueued    MailState = "queued"    // it waits for an agent that can take it
	MailSubmitted MailState = "submitted" // the agent itself has reported that it got the message
	MailTyped     MailState = "typed"     // it was typed and the prompt took it, but the agent reported nothing
)

// Paused is the answer to a request to interrupt the agent.
type Paused struct {
	Was   bool `json:"was"`   // the agent was working
	Still bool `json:"still"` // the agent still works: on messages or tasks that waited, or because it ignores the interrupt
}

// Ship is the content of ~/.ocaptain/ship.json: the ship's settings. It holds no secret.
type Ship struct {
	Voyage    string            `json:"voyage"`
	Name      string            `json:"ship"`
	Role      string            `json:"role"`
	Agent     string            `json:"agent"`
	Version   string            `json:"agent_version,omitempty"` // the only version of the agent that may run, "" if any may
	List      string            `json:"list"`                    // id of the task list
	Workspace string            `json:"workspace"`               // absolute path
	Model     string            `json:"model,omitempty"`
	Env       map[string]string `json:"env,omitempty"` // for the agent; no secrets
	Prompt    string            `json:"prompt"`        // the agent's first prompt

	// Given says that helm gives the agent its work, so that it claims nothing.
	Given bool `json:"given,omitempty"`

	// Telemetry says that the agent's measurements go to helm, and Contents that they may include the content of prompts and tool calls.
	Telemetry bool `json:"telemetry,omitempty"`
	Contents  bool `json:"contents,omitempty"`

	// Search says that the agent gets tools that search code. Tools says which of its own tools it has.
	Search bool        `json:"search,omitempty"`
	Tools  agent.Tools `json:"tools,omitzero"`

	// Embeddings says that helm makes vectors of the ship's code.
	Embeddings   bool               `json:"embeddings,omitempty"`
	Conversation agent.Conversation `json:"conversation,omitempty"` // what one conversation of the agent covers, for an agent with hooks

	// Custom is the definition of Agent if the captain has defined it himself.
	Custom *agent.Custom `json:"custom_agent,omitempty"`
}

// Proof is the result of a probe, as one line of JSON.
type Proof struct {
	Works   bool   `json:"works"`
	Text    string `json:"text,omitempty"`    // what is wrong
	Fix     string `json:"fix,omitempty"`     // what to do about it
	Passing bool   `json:"passing,omitempty"` // it passes by itself
}

// Interrupted is the reason of an agent that waits because the captain has interrupted it.
const Interrupted = "interrupted; send it a message to go on"

// Overspent is the reason of an agent that waits because its ship interrupted it while helm was away. Helm lets it go on.
const Overspent = "interrupted; it cost as much as it may while helm is away"
