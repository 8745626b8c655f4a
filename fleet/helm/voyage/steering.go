package voyage

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// notLetIn asks the captain about work, or tells the agent no. The caller holds the ship's tree.
func (s *Ship) notLetIn(t *tasks.State, n *blame.NotLetIn) error {
	if !n.Waits {
		s.Veto(t, "it changes files that steer agents")
		return s.Refuse(t.ID, &wire.Error{Code: proto.CodeCheck, Text: n.Error()})
	}
	if err := s.v.Steering.Ask(n.Steering); err != nil {
		return s.v.Hinders.OrAway(t.ID, err)
	}
	s.v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf("changes files that steer agents and is not merged until you approve it: %s; look with %s, then %s, or %s",
		n.FilesText(), s.v.Dir.Command("diff %s", t.ID), s.v.Dir.Command("approve %s", t.ID), s.v.Dir.Command("reject %s", t.ID))})
	return errAsked
}

// errAsked says that the captain was asked about the work.
var errAsked = errors.New("the captain was asked")

// flagged tells the captain of merged work that steers agents. t is the task as under the claim of who did the work.
func (v *Voyage) flagged(t *tasks.State, m sync.Merged) {
	if is, ok := v.Steering.Of(t); ok && m.Steering != nil && is.Word == fleet.Flagged {
		v.Notes.Add(fleet.Note{Ship: t.Owner, Task: t.ID, Text: fmt.Sprintf("changed files that steer agents: %s; look with %s", is.FilesText(), v.Dir.Command("diff %s", t.ID))})
	}
}

// decided waits until the captain has decided on the work that was last shown to him, if he was asked, or the claim ends.
// Nothing of the ship's is held meanwhile.
func (s *Ship) decided(ctx context.Context, task string) error {
	v := s.v
	for {
		news := v.News.Next()
		if t := v.Store.Snapshot().Task(task); t == nil || v.Steering.Waiting(t) == nil {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
		case <-s.Context.Done():
		}
		if s.Context.Err() != nil {
			return core.ErrEnds
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
