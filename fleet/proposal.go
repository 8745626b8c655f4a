package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
)

// MaxProposals bounds how many proposals of one ship wait for the captain. Helm refuses more, since an agent may propose
// without end.
const MaxProposals = 20

// Proposal is a change to the task list that an agent or a person proposes, such as an edit of the list or a new task
// file.
type Proposal struct {
	ID   int       `json:"id"`
	At   time.Time `json:"at"`
	Ship string    `json:"ship,omitempty"`
	Task string    `json:"task,omitempty"`
	Text string    `json:"text"`

	// What happens if the captain accepts the proposal; at most one of these is set. The captain sees the text of the edit
	// exactly as it is here.
	Edit   *tasks.Edit `json:"edit,omitempty"`
	Cancel bool        `json:"cancel,omitempty"`
	Parent string      `json:"parent,omitempty"` // the task that a new task becomes a part of, if it is still open
	Flaw   string      `json:"flaw,omitempty"`   // why none of this is possible

	// Issue is the issue of Beads that people changed or added, "" for a proposal of an agent.
	Issue string `json:"issue,omitempty"`

	// The record of the ship's journal that holds the proposal.
	Journal string `json:"journal,omitempty"`
	Seq     int64  `json:"seq,omitempty"`
}

// By returns who made the proposal.
func (p *Proposal) By() string { return cmp.Or(p.Ship, "somebody") }

// IsSame reports whether two proposals ask for the same change.
func (p *Proposal) IsSame(o *Proposal) bool {
	return p.Ship == o.Ship && p.Task == o.Task && p.Text == o.Text && p.Cancel == o.Cancel && p.Issue == o.Issue && reflect.DeepEqual(p.Edit, o.Edit)
}

// Key identifies the change that a proposal asks for: it is equal for proposals that ask for the same change of an
// issue.
func (p *Proposal) Key() string {
	raw, _ := json.Marshal(Proposal{Task: p.Task, Text: p.Text, Cancel: p.Cancel, Issue: p.Issue, Edit: p.Edit}) // cannot fail: only texts and numbers
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Unacceptable says why a proposal cannot be accepted in a voyage of this kind and phase, "" when it can.
func (p *Proposal) Unacceptable(kind Kind, phase Phase) string {
	switch {
	case kind.TakesDispatches():
		return "a pool has no list of tasks: give it what is to be done with ocaptain dispatch"
	case phase == Sinking || phase == Sunk || phase == Complete && kind != Session: // a complete session can go on, as with ocaptain add
		return "the voyage is " + string(phase)
	case p.Edit == nil && !p.Cancel:
		return cmp.Or(p.Flaw, "there is no more of it than these words")
	}
	return ""
}

// Proposal returns the proposal of that number, or nil.
func (b *Board) Proposal(number int) *Proposal {
	if i := slices.IndexFunc(b.Proposals, func(p Proposal) bool { return p.ID == number }); i >= 0 {
		return &b.Proposals[i]
	}
	return nil
}

// Describe describes a proposal in full, in lines cleaned for display: who makes it, and what accepting it does.
func (b *Board) Describe(p *Proposal) []string {
	lines := []string{p.By() + " proposes: " + p.Text}
	add := func(name string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	if why := p.Unacceptable(b.Voyage.Kind, b.Phase); why != "" {
		lines = append(lines, "It cannot be accepted: "+why)
	}
	if i := slices.IndexFunc(b.Tasks, func(t tasks.State) bool { return t.ID == p.Task }); p.Task != "" && i >= 0 {
		t := &b.Tasks[i]
		add(fmt.Sprintf("Task %s is %s", t.ID, t.Status), t.Subject)
		add("On it works", t.Owner)
	}
	if e := p.Edit; e != nil {
		lines = append(lines, "")
		add("Subject", e.Subject)
		add("Waits for", e.BlockedBy...)
		add("Has to wait for it", e.Blocks...)
		add("Is a part of", p.Parent)
		if e.Priority != nil {
			add("Priority", fmt.Sprint(*e.Priority))
		}
		if e.Labels != nil {
			add("Labels", cmp.Or(strings.Join(*e.Labels, ", "), "none"))
		}
		if e.Description != "" {
			lines = append(lines, "Description:")
			for line := range strings.SplitSeq(e.Description, "\n") {
				lines = append(lines, "  "+line) // indented, so that no line can pass for one of ours
			}
		}
	}
	if p.Cancel {
		_, more := b.CancelledWith(p.Task)
		lines = append(append(lines, "", "The task is cancelled for good."), more...)
	}
	for i := range lines {
		lines[i] = clean.Line(lines[i])
	}
	return lines
}

// CancelledWith lists the tasks that are cancelled together with a task. more says in lines what this means for tasks
// other than the task itself.
func (b *Board) CancelledWith(id string) (all, more []string) {
	list := make([]*tasks.State, len(b.Tasks))
	for i := range b.Tasks {
		list[i] = &b.Tasks[i]
	}
	all = tasks.CancelledWith(list, id)
	with := make(map[string]bool, len(all))
	for _, id := range all {
		with[id] = true
	}
	for _, t := range list {
		switch {
		case !with[t.ID]:
		case t.Status == tasks.InProgress && t.Owner != Coordinator:
			more = append(more, fmt.Sprintf("%s works on task %s: %s", t.Owner, t.ID, t.Subject))
		case t.ID != id:
			more = append(more, fmt.Sprintf("with it: task %s: %s", t.ID, t.Subject))
		}
	}
	return all, more
}
