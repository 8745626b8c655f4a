// Package tasklist keeps a ship's view of the tasks up to date.
package tasklist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
)

// Ship is a ship that gets the tasks.
type Ship struct {
	Conn  *wire.Conn
	Store *dirstore.Store
	Is    kind.Ship
	Look  func() *kind.View // returns the current tasks
}

// Push keeps the ship's view of the task list up to date. If the ship returns an error, Push calls refused with it, and sends the whole list
// again after a while.
func Push(ctx context.Context, to Ship, refused func(error)) {
	for {
		err := to.pushChanges(ctx)
		if _, ok := errors.AsType[*wire.Error](err); !ok {
			return
		}
		refused(err)
		if retry.Sleep(ctx, 10*time.Second) != nil {
			return
		}
	}
}

func (s Ship) pushChanges(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sent []*tasks.State
	first := true
	for snap := range s.Store.Watch(ctx) {
		var part []tasks.Task
		view := s.Look()
		for _, t := range Changed(sent, snap.Tasks) {
			part = append(part, shown(t, view, s.Is))
		}
		sent = snap.Tasks
		for first || len(part) > 0 {
			n := fitting(part)
			up := proto.TaskUpdate{Full: first, More: first && n < len(part), Tasks: part[:n]}
			part = part[n:]
			if !up.More {
				first = false
			}
			if err := s.Conn.Call(ctx, proto.MethodTasks, up, nil); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// Changed lists new and changed tasks. It relies on tasks never being removed or reordered.
func Changed(was, is []*tasks.State) (news []*tasks.State) {
	const many = 64
	for len(is) > 0 {
		if len(was) >= many && len(is) >= many && *(*[many]*tasks.State)(was) == *(*[many]*tasks.State)(is) { // compare many tasks at once, to skip unchanged ones
			was, is = was[many:], is[many:]
			continue
		}
		t, same := is[0], false
		is = is[1:]
		if len(was) > 0 && was[0].ID == t.ID {
			was, same = was[1:], was[0] == t
		}
		if !same {
			news = append(news, t)
		}
	}
	return news
}

// shown returns a task in the form for the ship's agent. A task for other ships looks as if another ship held it, since an agent
// tries to claim any pending task.
func shown(t *tasks.State, view *kind.View, to kind.Ship) tasks.Task {
	s := t.Task
	if t.Status != tasks.Pending || t.Internal() || view.IsFor(to, t) {
		return s
	}
	s.Status = tasks.InProgress
	s.Owner = cmp.Or(t.OnlyShip(), t.OnlyAgent(), t.OnlyModel(), view.RoleOf(t), fleet.Coordinator)
	return s
}

// fitting returns how many of the first tasks go into one message: at most some hundred and half the size of a
// message, but at least one.
func fitting(all []tasks.Task) int {
	const most, bytes = 200, wire.MaxMessage / 2
	size := 0
	for i, t := range all {
		raw, _ := json.Marshal(t) // a task that cannot be encoded fails when it is sent
		if size += len(raw) + 1; i == most || i > 0 && size > bytes {
			return i
		}
	}
	return len(all)
}
