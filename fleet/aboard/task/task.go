// Package task holds the commands by which an agent without hooks lists, claims, completes and releases tasks.
package task

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// ReadList reads the ship's task list from its directory, including the tasks that are hidden from agents.
func ReadList(dir string) ([]tasks.Task, error) {
	ship, err := shipdir.LoadShip(dir)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(shipdir.ListDir(dir, ship.List), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("task list: %w", err)
	}
	var all []tasks.Task
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // the file was removed meanwhile
		}
		var t tasks.Task
		if json.Unmarshal(raw, &t) == nil && t.ID != tasks.Sentinel {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b tasks.Task) int { return tasks.CompareIDs(a.ID, b.ID) })
	return all, nil
}

// List prints the task list as Claude Code's TaskList shows it, or one task in full.
func List(dir, id string, out io.Writer) error {
	all, err := ReadList(dir)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, t := range all {
		done[t.ID] = t.Status == tasks.Completed
	}
	var b strings.Builder
	for _, t := range all {
		if id != "" && t.ID != id || id == "" && t.Internal() {
			continue
		}
		fmt.Fprintf(&b, "#%s [%s] %s", t.ID, t.Status, t.Subject)
		if t.Owner != "" {
			fmt.Fprintf(&b, " (%s)", t.Owner)
		}
		if open := slices.DeleteFunc(slices.Clone(t.BlockedBy), func(id string) bool { return done[id] }); len(open) > 0 {
			fmt.Fprintf(&b, " [blocked by %s]", shipdir.JoinIDs(open))
		}
		b.WriteByte('\n')
		if id != "" {
			b.WriteString("\n" + t.Description + "\n")
		}
	}
	if b.Len() == 0 {
		if id != "" {
			return fmt.Errorf("there is no task %s: see \"ocaptain task list\"", id)
		}
		b.WriteString("no tasks\n")
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// Claim claims a task for the agent of this ship, the best one when id is "", and prints it. It waits until helm
// answers.
func Claim(ctx context.Context, dir, id string, out io.Writer) error {
	var g proto.Grant
	if err := askAndReport(ctx, dir, proto.MethodClaim, proto.ClaimRequest{Task: id}, &g, func() (proto.State, string, string) {
		return proto.StateWorking, g.Task.ID, "claimed task " + g.Task.ID + ": " + g.Task.Subject
	}); err != nil {
		return err
	}
	if !g.Again {
		shipdir.AddProgress(shipdir.Dir(dir), 1)
	}
	_, err := fmt.Fprintf(out, "claimed task %s: %s\n\n%s\n", g.Task.ID, g.Task.Subject, g.Task.Description)
	for _, note := range g.Notes {
		_, err = fmt.Fprintln(out, "note: "+note)
	}
	return err
}

// Complete asks helm to merge the agent's work as the result of a task. The error says what the agent has to do
// first.
func Complete(ctx context.Context, dir, id, summary string, out io.Writer) error {
	var c proto.Completed
	if err := askAndReport(ctx, dir, proto.MethodComplete, proto.CompleteRequest{Claim: shipdir.ClaimOf(shipdir.Dir(dir), id), Summary: summary}, &c, func() (proto.State, string, string) {
		return proto.StateIdle, "", shipdir.CompletedText(id, c)
	}); err != nil {
		return err
	}
	shipdir.AddProgress(shipdir.Dir(dir), 1)
	_, err := fmt.Fprintln(out, shipdir.CompletedText(id, c))
	return err
}

// Plan hands in the tasks into which the agent breaks down its task. It reads them from the file, or from standard
// input for "-".
func Plan(ctx context.Context, dir, file string, out io.Writer) error {
	raw, err := readAnswer(file, tasks.MaxBreakdown)
	if err != nil {
		return err
	}
	if !json.Valid(raw) { // it could not be sent to helm
		_, err := tasks.Breakdown(raw, &tasks.State{})
		return fmt.Errorf("%s: %w", file, err)
	}
	r := proto.PlanRequest{Tasks: raw}
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Claim(), &r.Claim); err != nil {
		return errors.New(told.NoEpic)
	}
	var p proto.Planned
	if err := askAndReport(ctx, dir, proto.MethodPlan, r, &p, func() (proto.State, string, string) {
		return proto.StateIdle, "", fmt.Sprintf("broke down task %s into %d", p.Task, p.Added)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "task %s was split into %d tasks: your part of it is done\n", p.Task, p.Added)
	return err
}

// readAnswer reads a file, or standard input for "-". It reads at most one byte more than most, so that the caller
// notices a file that is too large.
func readAnswer(file string, most int64) ([]byte, error) {
	from := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	return io.ReadAll(io.LimitReader(from, most+1))
}

// Review hands in the agent's review. The answer is approve or reject, with why as the reason, or a file with the whole
// review as JSON, "-" for standard input.
func Review(ctx context.Context, dir, answer, why string, out io.Writer) error {
	r := proto.ReviewRequest{Review: tasks.ReviewJSON(answer == "approve", why)}
	var err error
	if (answer == "approve" || answer == "reject") && strings.TrimSpace(why) == "" {
		return errors.New(told.SayWhy(answer))
	}
	if answer != "approve" && answer != "reject" {
		r.Review, err = readAnswer(answer, tasks.MaxReview)
	}
	if err != nil {
		return err
	}
	if _, err := tasks.ReadReview(r.Review); err != nil {
		return fmt.Errorf("this review cannot be used: %w", err)
	}
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Claim(), &r.Claim); err != nil {
		return errors.New(told.NoReview)
	}
	var done proto.Reviewed
	if err := askAndReport(ctx, dir, proto.MethodReview, r, &done, func() (proto.State, string, string) {
		return proto.StateIdle, "", shipdir.ReviewedText(r)
	}); err != nil {
		return err
	}
	shipdir.AddProgress(shipdir.Dir(dir), 1)
	_, err = fmt.Fprintf(out, "your review of task %s is taken down: end your turn, and you are told what is next\n", done.Task)
	return err
}

// Release releases the agent's claim on a task.
func Release(ctx context.Context, dir, id, reason string, out io.Writer) error {
	r := proto.ReleaseRequest{Claim: shipdir.ClaimOf(shipdir.Dir(dir), id), Reason: cmp.Or(reason, "given back by the agent")}
	if err := askAndReport(ctx, dir, proto.MethodRelease, r, nil, func() (proto.State, string, string) {
		return proto.StateIdle, "", "gave back task " + id
	}); err != nil {
		return err
	}
	shipdir.AddProgress(shipdir.Dir(dir), -1)
	_, err := fmt.Fprintf(out, "gave back task %s\n", id)
	return err
}

// Wait waits until there is something to do, and prints what.
func Wait(ctx context.Context, dir string, out io.Writer) (proto.Act, error) {
	var v proto.Verdict
	if err := shipdir.Ask(ctx, shipdir.Dir(dir), proto.MethodWait, proto.WaitRequest{}, &v); err != nil {
		return "", err
	}
	var err error
	switch v.Act {
	case proto.ActRest:
		_, err = fmt.Fprintln(out, "nothing is left to do: you may end")
	case proto.ActContinue:
		_, err = fmt.Fprintf(out, "you still hold task %s: go on with it\n", v.Held)
	case proto.ActListen:
		_, err = fmt.Fprintln(out, "a message is on its way to you: end your turn to read it")
	default:
		_, err = fmt.Fprintf(out, "ready: %s\n", shipdir.JoinIDs(v.Ready))
	}
	return v.Act, err
}

// askAndReport calls serve and reports the agent's new state, as a hook would.
func askAndReport(ctx context.Context, dir, method string, params, result any, report func() (proto.State, string, string)) error {
	ship, err := shipdir.LoadShip(dir)
	if err != nil {
		return fmt.Errorf("this is not a ship: %w", err)
	}
	if err := shipdir.Ask(ctx, shipdir.Dir(dir), method, params, result); err != nil {
		return err
	}
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		return nil // the call itself has succeeded
	}
	defer book.Close()
	state, task, text := report()
	if a, err := agent.Find(ship.Agent, ship.Custom); err == nil && a.Turns {
		state = proto.StateWorking // working, until the runner reports the end of the turn
	}
	book.Log("note", text, task)
	book.State(proto.AgentState{State: state, Task: task})
	shipdir.NameWindow(ctx, shipdir.Dir(dir), state)
	return nil
}
