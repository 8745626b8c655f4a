// Package hindrance keeps track of what hinders the hub in its work on a voyage: its disk, its repository, Redis, and files of the captain's.
// It tells the captain once about each hindrance, and notices when the hindrance is over.
package hindrance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	"ocaptain/sync"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
)

// Options name what the hindrances are read from and whom they are reported to.
type Options struct {
	Dir     fleet.Dir
	Shared  *fleet.Shared // nil when hubs share no tasks
	Journal *journal.Journal
	Store   *dirstore.Store
	Work    *hub.Hub
	Log     *slog.Logger
	Script  func() ([]byte, error) // reads verify.sh; fails with sync.Hindered while the captain has not agreed to the present script

	News  *wake.News  // is sent when a hindrance of work begins or ends
	Paint wake.Signal // is sent when any other change has to show on the board
	Notes *notes.Notes
}

// Hindrances holds what keeps the hub from its work now. Its methods are safe for concurrent use.
type Hindrances struct {
	o    Options
	held wake.Signal // wakes Run when merges are held back

	mu         gosync.Mutex
	disk       fleet.Hindrance // keeps helm from writing anything
	repository fleet.Hindrance // keeps helm from merging anything
	verify     fleet.Hindrance // kept helm from running verify.sh the last time
	unread     fleet.Hindrance // kept bd from reading the issues the last time
	work       blocked
}

// New returns the Hindrances of a voyage, which begins without one.
func New(o Options) *Hindrances {
	return &Hindrances{o: o, held: wake.New(), work: blocked{}}
}

// OrAway returns err, unless the hub is to blame: its disk, its repository, or files of the captain's that are in the
// way of a task. Then it returns an error that makes the ship repeat its request. task is "" for an error that is not
// about a single task.
func (h *Hindrances) OrAway(task string, err error) error {
	is, cause := blame.Judge(err)
	switch is {
	case blame.Nothing, blame.Asker, blame.Clash:
		return err
	}
	if IsOfRedis(err) {
		return blame.HubWaits(clean.Bound(err.Error(), clean.MaxText))
	}
	if full := h.TryRoom(); full != nil {
		h.o.Log.Error("disk", "error", err)
		return full
	}
	switch is {
	case blame.Hub:
		return blame.HubWaits(h.holdMerges(clean.Bound(cause.Error(), clean.MaxText)))
	case blame.Captain:
		why := clean.Bound(cause.Error(), clean.MaxText)
		h.Block(task, why)
		return blame.HubWaits(why)
	}
	return err
}

// Check fails while the hub cannot change tasks. Ships ask again until it can, so that no agent is blamed.
func (h *Hindrances) Check() error {
	if err := h.CheckDisk(); err != nil {
		return err
	}
	return h.CheckRedis()
}

// CheckDisk fails while the hub's disk does not take what helm must write: helm then hands out, merges and requeues nothing.
func (h *Hindrances) CheckDisk() error {
	if !h.IsFull() {
		return nil
	}
	return h.TryRoom()
}

// IsFull reports whether helm's last write to the hub's disk failed.
func (h *Hindrances) IsFull() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.disk.IsNone()
}

// TryRoom writes a file to the voyage's directory, and the records that the journal could not write yet. It tells the captain when writing
// begins to fail, or works again.
func (h *Hindrances) TryRoom() error {
	err := kept.TryRoom(string(h.o.Dir))
	if err == nil {
		err = h.o.Journal.Sync()
	}
	why := ""
	if err != nil {
		why = fmt.Sprintf("nothing is handed out or merged, as the hub cannot write to %s: %v; make room there, and it goes on by itself", h.o.Dir, err)
	}
	h.mu.Lock()
	was := !h.disk.IsNone()
	h.disk.Set(time.Now(), why)
	h.mu.Unlock()
	if is := err != nil; is != was {
		h.o.News.Send()
		h.o.Paint.Send()
	}
	switch {
	case err == nil && was:
		h.o.Notes.Tell("the hub can write again, and goes on")
	case err != nil && !was:
		h.o.Notes.Tell(why)
	}
	if err != nil {
		return &wire.Error{Code: proto.CodeAway, Text: "the hub's disk is full"}
	}
	return nil
}

// Disk returns what is wrong with the hub's disk: it takes nothing that helm writes of the voyage, or no task files.
func (h *Hindrances) Disk() fleet.Hindrance {
	why, since := h.o.Store.Hindered()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.disk.IsNone() || why == "" {
		return h.disk
	}
	return fleet.Hindrance{Why: fmt.Sprintf("task files cannot be written (%s); make room, or mend the disk, and it goes on by itself: %s", why, h.o.Dir.TasksDir()), Since: since}
}

// CheckRedis fails while the hub cannot take part in the tasks that hubs share: helm then hands out, merges and requeues nothing.
func (h *Hindrances) CheckRedis() error {
	if is := h.Redis(); !is.IsNone() {
		return blame.HubWaits(is.Why)
	}
	return nil
}

// Redis returns what keeps the hub from the tasks that hubs share.
func (h *Hindrances) Redis() fleet.Hindrance {
	since, why := h.o.Store.Apart()
	if why == nil {
		return fleet.Hindrance{}
	}
	return fleet.Hindrance{Why: fmt.Sprintf("%s: %s", clean.Line(h.o.Shared.URL), clean.Bound(why.Error(), clean.MaxText)), Since: since}
}

// IsOfRedis reports whether an error comes from the Redis in which hubs share the tasks.
func IsOfRedis(err error) bool {
	return errors.Is(err, redislog.ErrUnreachable) || errors.Is(err, redislog.ErrLost) || errors.Is(err, redislog.ErrForged)
}

// CheckRepository fails while something keeps helm from merging in the hub's repository, such as a lock or the captain's unfinished
// merge. Ships ask again until that is over, so that no agent is blamed.
func (h *Hindrances) CheckRepository() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.repository.IsNone() {
		return nil
	}
	return blame.HubWaits(h.repository.Why)
}

// holdMerges holds all merges back until Run sees that the hindrance is over. It returns why merges are held back, which may be an
// earlier hindrance.
func (h *Hindrances) holdMerges(why string) string {
	h.mu.Lock()
	if !h.repository.IsNone() {
		defer h.mu.Unlock()
		return h.repository.Why
	}
	h.repository.Set(time.Now(), why)
	h.mu.Unlock()
	h.o.Notes.Tell(fmt.Sprintf("nothing is merged: %s; it goes on by itself", why))
	h.o.News.Send()
	h.held.Send()
	return why
}

// How often helm checks whether the hub's repository is free again.
const (
	firstLook = 500 * time.Millisecond
	mostLook  = 15 * time.Second
)

// Run checks whether merges that are held back can go on, until ctx ends.
func (h *Hindrances) Run(ctx context.Context) {
	for {
		select {
		case <-h.held:
		case <-ctx.Done():
			return
		}
		for pause := firstLook; ; pause = min(2*pause, mostLook) {
			if retry.Sleep(ctx, pause) != nil {
				return
			}
			if h.isFree(ctx) {
				break
			}
		}
		h.mu.Lock()
		h.repository = fleet.Hindrance{}
		h.mu.Unlock()
		h.o.Notes.Tell("nothing hinders merges any more, and they go on")
		h.o.News.Send()
	}
}

func (h *Hindrances) isFree(ctx context.Context) bool {
	if h.o.Work.Workspace.Free(ctx) != nil || h.o.Work.Refresh(ctx) != nil {
		return false
	}
	_, err := h.o.Script()
	return !errors.As(err, new(*sync.Hindered))
}

// Block records which file or branch of the captain's keeps the work on a task from being merged. It tells the
// captain if nothing did so before.
func (h *Hindrances) Block(task, why string) {
	h.mu.Lock()
	begins := h.work.add(time.Now(), task, why)
	h.mu.Unlock()
	if begins {
		h.o.Notes.Add(fleet.Note{Task: task, Text: "its work waits: " + why})
	}
	h.o.Paint.Send()
}

// Unblock records that nothing of the captain's keeps the work on a task from the branch.
func (h *Hindrances) Unblock(task string) {
	h.mu.Lock()
	_, was := h.work[task]
	delete(h.work, task)
	h.mu.Unlock()
	if was {
		h.o.Paint.Send()
	}
}

// RetryIn returns how long it is until blocked work may be tried again, 0 if the work is not blocked.
func (h *Hindrances) RetryIn(task string) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.work.retryIn(time.Now(), task)
}

// SetVerify records why verify.sh could not be run, nil when it could.
func (h *Hindrances) SetVerify(err error) {
	why := ""
	if err != nil {
		why = clean.Bound(err.Error(), clean.MaxText)
	}
	h.mu.Lock()
	h.verify.Set(time.Now(), why)
	h.verify.Changed = errors.As(err, new(*fleet.ChangedError))
	h.mu.Unlock()
	h.o.Paint.Send()
}

// SetUnread records why bd cannot read the issues, "" when it can.
func (h *Hindrances) SetUnread(why string) {
	h.mu.Lock()
	h.unread.Set(time.Now(), why)
	h.mu.Unlock()
	h.o.Paint.Send()
}

// Show writes to a board what hinders merges, verify.sh and bd, and what keeps the work on each of its tasks from the branch.
func (h *Hindrances) Show(b *fleet.Board) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b.Repository, b.Unverified, b.Unread = h.repository, h.verify, h.unread
	b.InTheWay = map[string]fleet.Hindrance{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		if is, waits := h.work[t.ID]; waits && (t.Status == tasks.InProgress || t.InReview()) {
			b.InTheWay[t.ID] = is.Hindrance
		}
	}
}
