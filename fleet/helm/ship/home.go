package ship

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/ignored"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
)

// TreeTime bounds one checkout or one snapshot of a tree.
const TreeTime = 5 * time.Minute

// AtBranch records that the branch has all of the ship's tree, as after a completion. The caller holds the tree.
func (s *Ship) AtBranch() {
	s.Copies.AtBranch()
	s.Copies.Soon() // copies what the completion did not include
}

// RecallCopy shows what the last helm knew of the ship's tree, until the ship can be reached.
func (s *Ship) RecallCopy(old fleet.Board) {
	for i := range old.Ships {
		if was := &old.Ships[i]; was.Name == s.Name && was.Built == s.Record().Built {
			s.Copies.Recall(copies.State{Live: was.Live, Unmerged: was.Unmerged, Copied: was.Copied, Uncopied: was.Uncopied})
		}
	}
}

// Park puts the ship's unmerged work on a ref, and returns the ref, "" if there is none. If the ship can be reached,
// Park first copies its tree to the hub. The caller holds the ship's tree.
func (s *Ship) Park(ctx context.Context) string {
	if s.Reach.Conn() != nil {
		limit, cancel := context.WithTimeout(ctx, 20*time.Second)
		if err := s.Copies.Copy(limit); err != nil {
			s.c.Log.Warn("snapshot of what is taken back", "ship", s.Name, "error", err)
		}
		cancel()
	}
	left, err := s.c.Work.Park(ctx, s.Name)
	if err != nil {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Text: clean.Bound(err.Error(), clean.MaxText)})
	}
	return left.Ref
}

// bringTime bounds a copy from a ship while a caller waits.
const bringTime = time.Minute

// BringHome copies the ship's tree, other branches and stash to the hub as they are now. It returns what could not be
// copied.
func (s *Ship) BringHome(ctx context.Context) (missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, bringTime)
	defer cancel()
	if !s.Reach.Connects(ctx) {
		err := errors.New("it cannot be reached")
		s.Copies.Fail(err.Error())
		return nil, err
	}
	if err := s.Lock(ctx); err != nil {
		return nil, err
	}
	defer s.Busy.Unlock()
	if missing, err = s.Copies.Bring(ctx); err != nil {
		return missing, err
	}
	if _, err := s.Ignores.Count(ctx, s.clone()); err != nil {
		s.c.Log.Warn("ignored files", "ship", s.Name, "error", err)
		missing = append(missing, "the files that git ignores, which could not be listed: "+clean.Bound(err.Error(), 300))
	}
	return missing, nil
}

// IsEmpty takes a snapshot of the ship's tree, and reports whether the ship has no task and no unmerged work.
func (s *Ship) IsEmpty() bool {
	ctx, cancel := context.WithTimeout(s.Context, TreeTime)
	defer cancel()
	if s.Lock(ctx) != nil {
		return false
	}
	defer s.Busy.Unlock()
	if s.Held() != nil {
		return false
	}
	if err := s.Copies.Copy(ctx); err != nil {
		if s.Context.Err() == nil {
			s.c.Notes.Add(fleet.Note{Ship: s.Name, Text: fmt.Sprintf("is not sunk, as its tree could not be looked at: %s", clean.Bound(err.Error(), 300))})
		}
		return false
	}
	return s.Copies.Now().Unmerged.IsNone()
}

// Farewell copies the ship's work to the hub before its machine is destroyed. It tells the captain what will be lost,
// including what missing names.
func (s *Ship) Farewell(ctx context.Context, missing []string, report func(api.Progress)) {
	tell := func(text string, lost bool) {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Text: text})
		report(api.Progress{Ship: s.Name, Step: "sink", State: api.StepNote, Text: text, Lost: lost})
	}
	if len(missing) > 0 {
		tell(strings.Join(missing, "; "), false)
	}
	missing, err := s.BringHome(ctx)
	if text := s.Ignores.Lost(); text != "" {
		tell(text, false)
	}
	switch {
	case err != nil:
		last := "nothing of its work was ever copied home"
		if copied := s.Copies.Now().Copied; !copied.IsZero() {
			last = "what is on it alone since its last copy, of " + copied.Format(time.DateTime) + ", is lost"
		}
		tell("its work could not be copied home ("+clean.Bound(err.Error(), 300)+"): "+last, true)
	case len(missing) > 0:
		tell("is lost with it: "+clean.Bound(strings.Join(missing, "; "), clean.MaxText), true)
	}
}

func (s *Ship) clone() ignored.Clone {
	return ignored.Clone{Ship: s.Name, Home: s.Record().Home, Link: s.Reach.Link(), Artifacts: s.c.Dir.Artifacts()}
}

// KeepIgnored copies the files in the ship's clone that git ignores to a new directory below artifacts/.
func (s *Ship) KeepIgnored(ctx context.Context) (api.KeptIgnored, error) {
	k, err := s.Ignores.Keep(ctx, s.Name, func(ctx context.Context) (ignored.Clone, bool) {
		if !s.Reach.Connects(ctx) {
			return ignored.Clone{}, false
		}
		return s.clone(), true
	})
	if err == nil && k.Dir != "" {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Text: fmt.Sprintf("%d of %s: copied to %s", k.Kept.Files, k.Found.ListText(), k.Dir)})
	}
	return k, err
}

// BringFiles writes the captain's files that git ignores into the ship's clone, where they are missing, before the agent hears of its
// claim.
func (s *Ship) BringFiles(ctx context.Context, task string) error {
	done, err := provision.Bring(ctx, s.Reach.Link(), s.Record().Home, s.c.Dir)
	if err == nil && len(done.Kept) > 0 {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Task: task, Text: clean.Bound(provision.BroughtText(done), clean.MaxText)})
	}
	return err
}

// Interrupt makes the agent stop its turn.
func (s *Ship) Interrupt(ctx context.Context) (api.Interrupted, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn := s.Reach.Conn()
	if conn == nil {
		return api.Interrupted{}, api.Refused("%s cannot be reached now", s.Name)
	}
	var p proto.Paused
	err := conn.Call(ctx, proto.MethodPause, struct{}{}, &p)
	return api.Interrupted{Was: p.Was, Still: p.Still}, err
}
