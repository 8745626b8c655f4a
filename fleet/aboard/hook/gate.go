package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// taskEdit is a call of TaskUpdate as the model wrote it.
type taskEdit struct {
	task, status, owner string
	hasOwner            bool
	summary             string   // metadata.summary, for the commit message
	edits               []string // other fields that the call would change
}

// judgeTool judges a call of one of the task tools.
func (k *call) judgeTool(ctx context.Context) outcome {
	switch k.in.Tool {
	case "TaskUpdate":
		e, err := readEdit(k.in.Input)
		if err != nil {
			return cannotDecide(agent.HookClaim, err.Error())
		}
		return k.judgeUpdate(ctx, e)
	case "TaskCreate":
		if k.ship.Role == told.Planner {
			return denyCall("Hand tasks in with `ocaptain task plan -`, as JSON on its standard input: your orders show how.")
		}
		k.suggest("", "add a task: "+jsonString(k.in.Input["subject"]))
		return denyCall("New tasks are the captain's to make: this one was noted as a proposal. Go on with your task.")
	default:
		return cannotDecide(agent.HookClaim, fmt.Sprintf("%.40q is not a task tool", k.in.Tool))
	}
}

// readEdit reads the input of a TaskUpdate. It compares JSON keys by exact case, as the tool itself does.
func readEdit(in map[string]json.RawMessage) (taskEdit, error) {
	var e taskEdit
	for _, key := range slices.Sorted(maps.Keys(in)) {
		raw := in[key]
		var err error
		switch key {
		case "taskId":
			err = json.Unmarshal(raw, &e.task)
		case "status":
			err = json.Unmarshal(raw, &e.status)
		case "owner":
			e.hasOwner = true
			err = json.Unmarshal(raw, &e.owner)
		case "activeForm":
		case "subject", "description", "addBlocks", "addBlockedBy":
			e.edits = append(e.edits, key)
		case "metadata":
			var m map[string]json.RawMessage
			err = json.Unmarshal(raw, &m)
			e.summary = jsonString(m["summary"])
			delete(m, "summary")
			if len(m) > 0 {
				e.edits = append(e.edits, key)
			}
		default:
			err = errors.New("it is not known")
		}
		if err != nil {
			return taskEdit{}, fmt.Errorf("the field %.40q cannot be used: %w", key, err)
		}
	}
	if e.task == "" {
		return taskEdit{}, errors.New("it names no task")
	}
	return e, nil
}

// judgeUpdate judges a TaskUpdate. If it lets the call through, it replaces the input by the fields that it has
// judged.
func (k *call) judgeUpdate(ctx context.Context, e taskEdit) outcome {
	if e.hasOwner && e.owner != "" && e.owner != k.ship.Name {
		return denyCall("You are %s and can only claim for yourself: TaskUpdate with status in_progress and no owner.", k.ship.Name)
	}
	if len(e.edits) > 0 || e.status == "deleted" {
		what := "change " + strings.Join(e.edits, ", ") + " of"
		if e.status == "deleted" {
			what = "delete"
		}
		k.suggest(e.task, what+" task "+e.task)
	}
	switch e.status {
	case string(tasks.InProgress):
		return k.claimTask(ctx, e.task)
	case string(tasks.Completed):
		return k.finishing(ctx, e)
	case string(tasks.Pending):
		return k.giveBack(ctx, e.task)
	case "deleted":
		return denyCall("Tasks are not yours to delete: it was noted as a proposal for the captain.")
	case "":
		if len(e.edits) > 0 {
			return denyCall("The task list is the captain's: your change was noted as a proposal. To claim a task set its status to in_progress.")
		}
		return denyCall("Nothing was changed. To claim a task set its status to in_progress; you become its owner.")
	default:
		return denyCall("There is no status %.40q.", e.status)
	}
}

func (k *call) claimTask(ctx context.Context, id string) outcome {
	var g proto.Grant
	if err := shipdir.Ask(ctx, k.home, proto.MethodClaim, proto.ClaimRequest{Task: id}, &g); err != nil {
		k.book.Log("note", "may not claim task "+id+": "+agentlog.FirstLine(err.Error()), id)
		return refusal(err)
	}
	k.book.Log("note", "claimed task "+id+": "+g.Task.Subject, id)
	k.book.State(proto.AgentState{State: proto.StateWorking, Task: id, Session: k.in.Session})
	why := strings.Join(g.Notes, " ")
	if text := g.Task.Description; text != "" && !g.Again {
		why = strings.TrimSpace(told.Granted(id, text) + "\n\n" + why)
	}
	return outcome{stdout: permission("allow", why, map[string]string{
		"taskId": id, "status": string(tasks.InProgress), "owner": k.ship.Name,
	})}
}

// finishing lets a completion pass here, as another gate merges the work.
func (k *call) finishing(ctx context.Context, e taskEdit) outcome {
	h, err := k.askHeld(ctx, shipdir.HeldRequest{Task: e.task, Summary: shipdir.Cut(e.summary, 8<<10)})
	switch {
	case err != nil:
		return refusal(err)
	case !h.Mine:
		return k.completedBefore(ctx, shipdir.ClaimOf(k.home, e.task))
	}
	why := ""
	if k.ship.Conversation.IsBounded() {
		why = told.Finishing
	}
	return outcome{stdout: permission("allow", why, map[string]string{
		"taskId": e.task, "status": string(tasks.Completed),
	})}
}

// completedBefore asks helm about a task that this ship does not hold: the ship may have completed it, or handed it
// in.
func (k *call) completedBefore(ctx context.Context, claim proto.Claim) outcome {
	var c proto.Completed
	if err := shipdir.Ask(ctx, k.home, proto.MethodComplete, proto.CompleteRequest{Claim: claim}, &c); err != nil {
		k.book.Log("note", "may change nothing about task "+claim.Task+": "+agentlog.FirstLine(err.Error()), claim.Task)
		return refusal(err)
	}
	return denyCall("You have done that before: %s.", shipdir.CompletedText(claim.Task, c))
}

func (k *call) giveBack(ctx context.Context, id string) outcome {
	h, err := k.askHeld(ctx, shipdir.HeldRequest{Task: id})
	if err != nil {
		return refusal(err)
	}
	if !h.Mine {
		return k.completedBefore(ctx, proto.Claim{Task: id}) // without an epoch, so that nothing is completed, whatever the list shows by now
	}
	if err := shipdir.Ask(ctx, k.home, proto.MethodRelease, proto.ReleaseRequest{Claim: shipdir.ClaimOf(k.home, id), Reason: "given back by the agent"}, nil); err != nil {
		return refusal(err)
	}
	k.book.Log("note", "gave back task "+id, id)
	return outcome{stdout: permission("allow", "", map[string]string{
		"taskId": id, "status": string(tasks.Pending), "owner": "",
	})}
}

// completed asks helm to merge the work on a task. If helm refuses, the task stays open.
func (k *call) completed(ctx context.Context) outcome {
	if k.in.Task == "" {
		return cannotDecide(agent.HookDone, "it names no task")
	}
	var c proto.Completed
	if err := shipdir.Ask(ctx, k.home, proto.MethodComplete, proto.CompleteRequest{Claim: shipdir.ClaimOf(k.home, k.in.Task)}, &c); err != nil {
		k.book.Log("error", "task "+k.in.Task+" is not completed: "+err.Error(), k.in.Task)
		return outcome{stderr: strings.TrimSpace(err.Error()) + "\n", code: exitVeto}
	}
	k.book.Log("note", shipdir.CompletedText(k.in.Task, c), k.in.Task)
	return outcome{}
}

func (k *call) askHeld(ctx context.Context, r shipdir.HeldRequest) (shipdir.Held, error) {
	var h shipdir.Held
	err := shipdir.Ask(ctx, k.home, shipdir.MethodHeld, r, &h)
	return h, err
}

// suggest sends an edit that the agent wanted to the captain as a proposal. The answer of the hook does not depend on it.
func (k *call) suggest(task, what string) {
	raw, _ := json.Marshal(k.in.Input)
	if len(raw) > tasks.MaxEdit {
		raw = nil // the captain reads that the edit is too long
	}
	k.book.Propose(proto.Proposal{Task: task, Text: what, Input: raw})
}

// denyCall returns the outcome that denies the call.
func denyCall(format string, args ...any) outcome {
	return outcome{stdout: permission("deny", fmt.Sprintf(format, args...), nil)}
}

// refusal returns the outcome for an error: helm's refusal in its own words, or else a failure, which denies too.
func refusal(err error) outcome {
	var e *wire.Error
	if errors.As(err, &e) && e.Code != wire.CodePanic && !shipdir.Away(err) {
		return denyCall("%s", e.Text)
	}
	return cannotDecide(agent.HookClaim, err.Error())
}

// jsonString returns the string in raw, "" if raw is not a JSON string.
func jsonString(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}
