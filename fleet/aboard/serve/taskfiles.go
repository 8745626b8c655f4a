package serve

import (
	"context"
	"encoding/json"
	"fmt"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/taskdir"
)

// openView opens a view that keeps the ship's task directory as helm states it, and undoes and reports all other
// changes.
func (s *server) openView() error {
	v, err := taskdir.OpenView(shipdir.ListDir(string(s.home), s.ship.List), s.tampered, nil)
	if err != nil {
		return fmt.Errorf("view of the task list: %w", err)
	}
	s.view = v
	return nil
}

// takeTasks handles news of the task list from helm.
func (s *server) takeTasks(_ context.Context, u proto.TaskUpdate) (any, error) {
	all, err := s.list.update(u)
	switch {
	case err != nil:
		return nil, err
	case !u.Full:
		s.view.PutTasks(s.list.shown(u.Tasks)...)
	case all != nil:
		s.view.Set(s.list.shown(all))
	}
	return nil, nil
}

// allowTask states a task as helm has just decided, and lets the agent write the same.
func (s *server) allowTask(t tasks.Task) {
	seen := s.list.shown([]tasks.Task{t})
	s.view.PutTasks(seen...)
	s.view.Expect(seen[0])
}

// tampered reports what somebody did to the task files.
func (s *server) tampered(all []taskdir.Tamper) {
	for _, t := range all {
		report := proto.Tamper{Task: shipdir.Cut(t.Task, 100), What: string(t.What), Subject: shipdir.Cut(t.Change.Subject, 500)}
		if len(t.Fields) > 0 {
			report.Fields = t.Fields[:min(len(t.Fields), 50)]
		}
		if raw, err := json.Marshal(report); err != nil || len(raw) > shipdir.BatchBytes/2 {
			report.Fields = nil
		}
		s.book.Add(proto.KindTamper, report)
	}
}
