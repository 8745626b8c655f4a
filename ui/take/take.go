// Package take brings finished work into a checkout of the captain's: as a branch, or merged into the branch
// that is checked out.
package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// Work is work that can be taken.
type Work struct {
	From   string // directory of its repository
	Base   string // the commit that it began at
	Commit string
	Branch string // the default name for a branch of it
	What   string // in words
	Open   int    // how many of its tasks are not completed
}

// Refused is the error for work that cannot be taken now, with advice.
type Refused struct{ Why, Advice string }

// Error returns why.
func (r *Refused) Error() string { return r.Why }

// Find returns what a voyage has finished: everything for "", else a task with all merges before it, or a
// dispatch.
func Find(ctx context.Context, d fleet.Dir, b *fleet.Board, id string) (Work, error) {
	v := &b.Voyage
	w := Work{From: d.Workspace(), Base: v.Base, Branch: v.Branch, What: "voyage " + v.ID}
	if id != "" {
		err := w.task(b, id)
		return w, err
	}
	if v.Kind.TakesDispatches() {
		return w, &Refused{"a pool's work is on a branch for each dispatch", "name the dispatch: ocaptain pool history"}
	}
	for i := range b.Tasks {
		if b.Tasks[i].Status != tasks.Completed {
			w.Open++
		}
	}
	var err error
	w.Commit, err = changes.Output(ctx, w.From, "rev-parse", "--verify", "--end-of-options", "refs/heads/"+v.Branch+"^{commit}")
	if err == nil && w.Commit == w.Base {
		err = &Refused{"nothing is merged yet", ""}
	}
	return w, err
}

// task makes w the work of a task.
func (w *Work) task(b *fleet.Board, id string) error {
	var t *tasks.State
	for i := range b.Tasks {
		if b.Tasks[i].ID == id {
			t = &b.Tasks[i]
		}
	}
	switch {
	case t == nil:
		return &changes.NotFound{Text: fmt.Sprintf("there is no task %s in %s", clean.Line(id), b.Voyage.ID), Advice: "see: ocaptain tasks"}
	case t.Status != tasks.Completed || t.Cancelled:
		return &Refused{fmt.Sprintf("task %s is not completed", t.ID), "look at what there is of it with: ocaptain diff " + t.ID}
	case t.Commit == "":
		return &Refused{fmt.Sprintf("task %s changed nothing", t.ID), ""}
	}
	w.Commit, w.What = t.Commit, "task "+t.ID+": "+clean.Line(t.Subject)
	if base := t.Dispatch().Base; base != "" {
		w.Base, w.What = base, "dispatch "+t.ID+": "+clean.Line(t.Subject)
		w.Branch = dispatch.Branch(t.Owner, t.ID)
		return nil
	}
	w.Branch += "-task-" + t.ID
	return nil
}

// Taken is the result of taking work.
type Taken struct {
	Dir    string `json:"dir"` // the checkout
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Merged bool   `json:"merged"`         // into the branch that is checked out, which is Branch
	Undo   string `json:"undo,omitempty"` // the command that undoes it, "" when nothing changed
}

// Into takes work into the checkout that contains dir: as a branch called name, "" for the work's own name, or with merge into the branch
// that is checked out. If it fails, nothing has changed.
func Into(ctx context.Context, dir string, w Work, name string, merge bool) (Taken, error) {
	top, err := changes.Output(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Taken{}, &Refused{"this is no checkout of a repository", "go to your checkout, or make a new one with: ocaptain clone"}
	}
	if w.Base == "" || !has(ctx, top, w.Base) {
		return Taken{}, &Refused{clean.Line(top) + " lacks the commit at which the work began", "go to a checkout of that repository and fetch, or make a new one with: ocaptain clone"}
	}
	if merge {
		return merged(ctx, top, w)
	}
	if name == "" {
		name = w.Branch
	}
	return branch(ctx, top, w, name)
}

// has reports whether a repository has a commit.
func has(ctx context.Context, dir, commit string) bool {
	_, err := changes.Output(ctx, dir, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// branch makes a branch of the work, or moves a branch forward that has a part of it.
func branch(ctx context.Context, top string, w Work, name string) (Taken, error) {
	t := Taken{Dir: top, Branch: name, Commit: w.Commit}
	ref := "refs/heads/" + name
	if is, err := changes.Output(ctx, top, "check-ref-format", "--branch", name); err != nil || is != name {
		return t, &Refused{fmt.Sprintf("a branch cannot be called %q", clean.Line(name)), ""}
	}
	was, _ := changes.Output(ctx, top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	if was == w.Commit {
		return t, nil
	}
	if head, _ := changes.Output(ctx, top, "symbolic-ref", "--quiet", "HEAD"); head == ref {
		return t, &Refused{fmt.Sprintf("branch %s is checked out", clean.Line(name)), "merge it there with --merge, or name another branch with --as"}
	}
	if _, err := changes.Output(ctx, top, "-c", "protocol.version=2", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", w.From, w.Commit+":"+ref); err != nil {
		if was != "" {
			return t, &Refused{fmt.Sprintf("there is another branch %s: %v", clean.Line(name), err), "name another branch with --as"}
		}
		return t, err
	}
	t.Undo = "git branch -D " + name
	if was != "" {
		t.Undo = fmt.Sprintf("git branch -f %s %.12s", name, was)
	}
	return t, nil
}

// merged merges the work into the branch that is checked out, with the captain's own git: his name, filters
// and hooks apply.
func merged(ctx context.Context, top string, w Work) (Taken, error) {
	t := Taken{Dir: top, Merged: true}
	head, err := changes.Output(ctx, top, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return t, &Refused{"no branch is checked out in " + clean.Line(top), "check a branch out first, or take it as a branch without --merge"}
	}
	t.Branch = head
	was, err := changes.Output(ctx, top, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return t, err
	}
	if dirt, err := git(ctx, top, "status", "--porcelain", "--untracked-files=no"); err != nil || dirt != "" {
		if err == nil {
			err = &Refused{clean.Line(top) + " has changes that are not committed", "commit or stash them first, or take it as a branch without --merge"}
		}
		return t, err
	}
	if _, err := changes.Output(ctx, top, "-c", "protocol.version=2", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", w.From, w.Commit); err != nil {
		return t, err
	}
	_, err = git(ctx, top, "merge", "--quiet", "--no-ff", "--no-edit", "-m", "Merge "+w.What, w.Commit)
	if err != nil {
		paths, _ := changes.Output(ctx, top, "diff", "--name-only", "--diff-filter=U")
		if _, e := git(ctx, top, "merge", "--abort"); e != nil && paths != "" {
			return t, errors.Join(err, e)
		}
		if paths == "" {
			return t, err
		}
		return t, &Refused{"it conflicts with " + clean.Line(head) + " in " + clean.Line(strings.Join(strings.Split(paths, "\n"), ", ")), "take it as a branch without --merge, then merge that by hand"}
	}
	if t.Commit, err = changes.Output(ctx, top, "rev-parse", "--verify", "HEAD^{commit}"); err == nil && t.Commit != was {
		t.Undo = fmt.Sprintf("git reset --keep %.12s", was)
	}
	return t, err
}

// git runs the captain's git with his settings, but without prompts, which he would not see.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_DIR=") && !strings.HasPrefix(kv, "GIT_WORK_TREE=") && !strings.HasPrefix(kv, "GIT_INDEX_FILE=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, clean.Bound(said.String(), 2000))
	}
	return strings.TrimSpace(string(out)), err
}

// Lines says what was done with the work.
func (t Taken) Lines(w Work) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, clean.Line(fmt.Sprintf(format, args...))) }
	switch {
	case t.Undo == "":
		add("%s is on branch %s already, in %s", w.What, t.Branch, t.Dir)
	case t.Merged:
		add("%s is merged into branch %s, in %s", w.What, t.Branch, t.Dir)
	default:
		add("%s is on branch %s, in %s", w.What, t.Branch, t.Dir)
	}
	if t.Undo != "" {
		add("undo it with: %s", t.Undo)
	}
	if w.Open > 0 {
		add("tasks of it that are not done yet: %d", w.Open)
	}
	return lines
}
