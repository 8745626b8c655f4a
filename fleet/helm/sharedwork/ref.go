package sharedwork

import (
	"fmt"
	"strconv"
	"strings"

	"ocaptain/tasks"
)

// ref is a ref of the repository that hubs share. It keeps work on a task: work that was handed in under a claim, or
// a draft of unfinished work.
type ref struct {
	draft bool
	task  string
	epoch uint64 // epoch of the claim; 0 for a draft with which the next claim begins
}

const (
	handInDir = "handin/"
	draftDir  = "draft/"
)

// prefix begins the names of the refs of a session.
func prefix(session string) string { return "refs/ocaptain/" + session + "/" }

// name returns the name of a ref.
func (r ref) name(session string) string {
	dir := handInDir
	if r.draft {
		dir = draftDir
	}
	return fmt.Sprintf("%s%s%s-%d", prefix(session), dir, r.task, r.epoch)
}

// parse reads the name of a ref. It returns false for a name that no hub of the session gives.
func parse(session, name string) (ref, bool) {
	rest, ours := strings.CutPrefix(name, prefix(session))
	rest, isDraft := strings.CutPrefix(rest, draftDir)
	at := strings.LastIndexByte(rest, '-')
	if !ours || at < 0 {
		return ref{}, false
	}
	epoch, err := strconv.ParseUint(rest[at+1:], 10, 64)
	r := ref{isDraft, strings.TrimPrefix(rest[:at], handInDir), epoch}
	return r, err == nil && tasks.ValidID(r.task) && r.name(session) == name
}

// isWanted reports whether a ref that is at a commit is of use to a hub. A task or claim that this hub does not know yet may be another hub's.
func (r ref) isWanted(all tasks.Snapshot, commit string) bool {
	switch t := all.Task(r.task); {
	case t == nil || r.epoch > t.Epoch:
		return true
	case t.Status == tasks.Completed:
		return false
	case commit == t.Draft || t.InReview() && commit == t.HandIn.Commit:
		return true
	default: // it may be handed in at this moment
		return r.epoch == t.Epoch && t.Status == tasks.InProgress && !t.InReview()
	}
}
