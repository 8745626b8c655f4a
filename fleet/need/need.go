// Package need finds everything on a board that stops or goes wrong unless the captain acts. It does no I/O.
package need

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
)

// Need is something that stops or goes wrong unless the captain acts.
type Need struct {
	Key      string         `json:"id"` // names it in an answer: the same as long as the need exists
	Kind     fleet.NeedKind `json:"kind"`
	Voyage   string         `json:"voyage,omitempty"`   // "" for a need of this install
	Ships    []string       `json:"ships,omitempty"`    // the ships that it is about
	Task     string         `json:"task,omitempty"`     // the task that it is about
	Tasks    []string       `json:"tasks,omitempty"`    // all tasks that it is about, including Task; empty if there is only one
	Waiting  []string       `json:"waiting,omitempty"`  // tasks that wait for nothing else
	Number   int            `json:"number,omitempty"`   // number of the proposal that it is, or the budget in US dollars that would be enough
	Provider string         `json:"provider,omitempty"` // the provider that ships must come from to help, "" for any
	Why      string         `json:"why"`                // one line of at most MostWhy characters
	Since    time.Time      `json:"since,omitzero"`     // zero when unknown
	Do       Remedy         `json:"do"`                 // the action that helps
	Command  string         `json:"command"`            // the command that does it
	Choices  []string       `json:"choices,omitempty"`  // the possible answers: yes, no, or TEXT for any words; empty if an answer is not enough

	now   bool   // only the captain can end it, so it needs no grace
	cause string // the cause for which tasks are on hold, without the details in Why
}

// MostWhy bounds the reason of a need, in characters.
const MostWhy = 140

// ID identifies a need: it stays the same as long as the need exists.
func (n *Need) ID() string {
	switch row := rowOf(n.Kind); {
	case row.Install && n.Kind != fleet.NeedOrphans:
		return string(n.Kind) // without Why, which may change from moment to moment
	case row.Single:
		return fmt.Sprintf("%s %s", n.Kind, n.Voyage) // here Why may change too
	case n.cause != "":
		return fmt.Sprintf("%s %s %s", n.Kind, n.Voyage, n.cause)
	case row.Shared || len(n.Ships) == 0 && n.Task == "":
		return fmt.Sprintf("%s %s %s", n.Kind, n.Voyage, n.Why)
	}
	return fmt.Sprintf("%s %s %s %s %d", n.Kind, n.Voyage, strings.Join(n.Ships, " "), n.Task, n.Since.UnixMilli())
}

// key returns a short name of the need. Its 32 bits are enough for some hundred needs.
func (n *Need) key() string {
	sum := sha256.Sum256([]byte(n.ID()))
	return hex.EncodeToString(sum[:4])
}

// Ship returns the first ship that the need is about, "" for none.
func (n *Need) Ship() string {
	if len(n.Ships) == 0 {
		return ""
	}
	return n.Ships[0]
}

// Who names in words what the need is about.
func (n *Need) Who() string {
	const most = 3
	switch {
	case len(n.Tasks) > most:
		return fmt.Sprintf("tasks %s and %d more", strings.Join(n.Tasks[:most-1], ", "), len(n.Tasks)-most+1)
	case len(n.Tasks) > 1:
		return "tasks " + strings.Join(n.Tasks, ", ")
	case len(n.Ships) > most:
		return fmt.Sprintf("%s and %d more ships", strings.Join(n.Ships[:most-1], ", "), len(n.Ships)-most+1)
	case len(n.Ships) > 0 && n.Task != "":
		return n.Ships[0] + ", task " + n.Task
	case len(n.Ships) > 0:
		return strings.Join(n.Ships, ", ")
	case n.Task != "":
		return "task " + n.Task
	}
	return rowOf(n.Kind).Who
}

// String returns the need as one line.
func (n *Need) String() string { return n.Who() + " " + n.Says() + ": " + n.Why }

// Says returns what the subject of the need does, in words that follow Who: "asks you".
func (n *Need) Says() string {
	if row := rowOf(n.Kind); row.Say != "" && (len(n.Ships) > 1 || len(n.Tasks) > 1) {
		return row.Say
	}
	return SaysOf(n.Kind)
}

// SaysOf returns what a single subject of a need of this kind does.
func SaysOf(k fleet.NeedKind) string { return rowOf(k).Says }

// shorten cuts a reason to MostWhy characters.
func shorten(why string) string {
	text := []rune(clean.Line(strings.TrimSpace(why)))
	if len(text) > MostWhy {
		text = append(text[:MostWhy-1], '…')
	}
	return string(text)
}

// Remedy is an action that ends a need.
type Remedy string

// The remedies.
const (
	DoAttach  Remedy = "attach"
	DoMessage Remedy = "message"
	DoLogIn   Remedy = "log in"
	DoRequeue Remedy = "requeue"
	DoDiff    Remedy = "look at the diff"
	DoApprove Remedy = "approve"
	DoAdd     Remedy = "add a ship"
	DoReplace Remedy = "replace"
	DoSink    Remedy = "sink"
	DoVerify  Remedy = "verify"
	DoAccept  Remedy = "agree"
	DoSweep   Remedy = "sweep"
	DoLook    Remedy = "look"
	DoDoctor  Remedy = "doctor"
	DoAdopt   Remedy = "accept"
	DoReject  Remedy = "reject"
	DoBudget  Remedy = "raise the budget"
	DoResume  Remedy = "resume"
	DoSettle  Remedy = "settle"
)

// Choices returns the possible answers to a need with this remedy.
func (r Remedy) Choices() []string {
	switch r {
	case DoApprove, DoAdopt, DoReject:
		return []string{AnswerYes, AnswerNo, AnswerText}
	case DoRequeue, DoBudget:
		return []string{AnswerYes, AnswerText}
	case DoAttach, DoMessage:
		return []string{AnswerText}
	case DoVerify, DoResume, DoAdd:
		return []string{AnswerYes}
	}
	return nil
}

// The answers to needs: yes applies the remedy, no refuses what was asked, and any other words are a reason, or a message to the
// agent.
const (
	AnswerYes  = "yes"
	AnswerNo   = "no"
	AnswerText = "TEXT"
)

// Command returns the command that applies the remedy to a need.
func (r Remedy) Command(n *Need) string {
	ship := n.Ship()
	switch r {
	case DoAttach, DoLogIn:
		return fmt.Sprintf("ocaptain shell %s %s", n.Voyage, ship)
	case DoMessage:
		return fmt.Sprintf("ocaptain send %s %s --file -", n.Voyage, ship)
	case DoRequeue:
		if len(n.Tasks) > 1 {
			return "ocaptain requeue --all --voyage " + n.Voyage
		}
		return fmt.Sprintf("ocaptain requeue %s --voyage %s", n.Task, n.Voyage)
	case DoDiff:
		return fmt.Sprintf("ocaptain diff %s --voyage %s", ship, n.Voyage)
	case DoApprove:
		return fmt.Sprintf("ocaptain approve %s --voyage %s", n.Task, n.Voyage)
	case DoAdd:
		if n.Provider != "" {
			return fmt.Sprintf("ocaptain ship add --voyage %s --provider %s", n.Voyage, n.Provider)
		}
		return fmt.Sprintf("ocaptain ship add --voyage %s", n.Voyage)
	case DoReplace:
		return fmt.Sprintf("ocaptain ship replace %s --voyage %s", strings.Join(n.Ships, " "), n.Voyage)
	case DoSink:
		if ship != "" {
			return fmt.Sprintf("ocaptain ship rm %s --voyage %s", strings.Join(n.Ships, " "), n.Voyage)
		}
		return "ocaptain sink " + n.Voyage
	case DoVerify:
		return "ocaptain verify " + n.Voyage
	case DoAccept:
		return "ocaptain verify --accept " + n.Voyage
	case DoSweep:
		return "ocaptain sweep"
	case DoAdopt, DoReject:
		return fmt.Sprintf("ocaptain task %s %d --voyage %s", r, n.Number, n.Voyage)
	case DoBudget:
		return fmt.Sprintf("ocaptain budget %d --voyage %s", n.Number, n.Voyage)
	case DoResume:
		return fmt.Sprintf("ocaptain resume %s --ship %s", n.Voyage, strings.Join(n.Ships, ","))
	case DoSettle:
		return "ocaptain conflicts " + n.Voyage
	case DoDoctor:
		return "ocaptain doctor"
	}
	return "ocaptain status " + n.Voyage
}
