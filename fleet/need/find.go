package need

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/tasks"
)

// Away says that no helm manages a voyage. The zero value means that helm does.
type Away struct {
	Why   string
	Since time.Time
}

// leastGap is the shortest time out of reach that becomes a need.
const leastGap = 45 * time.Second

// sight holds the facts from which needs are found.
type sight struct {
	*fleet.Board
	now  time.Time
	gone Away
	root map[string]string // by task that waits only for tasks on hold: one of the tasks on hold
	open bool              // ships have something left to do
}

// All lists everything on a board that does not go on, or goes wrong, without the captain, the most urgent first. The
// dashboard, the commands and the notifications all use it. It does no I/O. Time during which the hub slept does not
// count.
func All(now time.Time, b *fleet.Board, gone Away) []Need {
	s := &sight{Board: b, now: now, gone: gone, root: Roots(b), open: isOpen(b)}
	all := []Need{}
	for i := range needKinds {
		k := &needKinds[i]
		for _, n := range k.find(s) {
			if n.now || n.Since.IsZero() || now.Sub(latest(n.Since, b.AwakeAt)) >= k.Grace {
				n.Kind, n.Why = k.Kind, shorten(n.Why)
				all = merge(all, n, k)
			}
		}
	}
	for i := range all {
		n := &all[i]
		if !rowOf(n.Kind).Install {
			n.Voyage = b.Voyage.ID
		}
		n.Do = cmp.Or(n.Do, rowOf(n.Kind).Do)
		n.Command, n.Choices, n.Key = n.Do.Command(n), n.Do.Choices(), n.key()
	}
	return all
}

// merge adds a need to all. Needs of several ships for the same reason become one.
func merge(all []Need, n Need, k *needKind) []Need {
	if k.Shared && len(n.Ships) > 0 {
		for i := range all {
			if was := &all[i]; was.Kind == n.Kind && was.Why == n.Why && len(was.Ships) > 0 {
				was.Ships = append(was.Ships, n.Ships...)
				if n.Since.Before(was.Since) {
					was.Since = n.Since
				}
				return all
			}
		}
	}
	return append(all, n)
}

func (s *sight) away() []Need {
	if s.gone.Why == "" || s.countOut() == 0 {
		return nil
	}
	return []Need{{Why: s.gone.Why, Since: s.gone.Since}}
}

func (s *sight) crewless() []Need {
	leaves := func(is fleet.ShipView) bool { return is.Phase == fleet.Going && !is.Again }
	stays := slices.ContainsFunc(s.Ships, func(is fleet.ShipView) bool { return !leaves(is) })
	switch {
	case stays:
		return append(s.fromNowhere(), s.ofNoRole()...)
	case s.Phase == fleet.Verifying:
		return []Need{{Why: "it is to be verified"}}
	case s.Phase == fleet.Sailing && s.open:
		return []Need{{Why: fleet.Counted(s.countOpen(), "task is open", "tasks are open")}}
	}
	return nil
}

// fromNowhere finds the first dispatch that waits for a worker of a provider from which no worker comes.
func (s *sight) fromNowhere() []Need {
	if s.Phase.IsOver() {
		return nil
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if !t.IsQueued() {
			continue
		}
		from := t.Provider()
		if from == "" || slices.ContainsFunc(s.Ships, func(is fleet.ShipView) bool { return is.Provider == from && !is.Draining }) {
			continue
		}
		return []Need{{Why: fmt.Sprintf("dispatch %s waits for a worker from %s, and there is none", t.ID, from), Provider: from}}
	}
	return nil
}

// ofNoRole finds the first task that waits for a role that no ship has.
func (s *sight) ofNoRole() []Need {
	if !s.Voyage.Kind.TakesEpics() && s.Voyage.Validators == 0 || s.Phase != fleet.Sailing {
		return nil
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		role := s.Voyage.RoleFor(t)
		if role != "" && t.IsQueued() && !slices.ContainsFunc(s.Ships, func(is fleet.ShipView) bool { return is.Role == role && (is.Phase != fleet.Going || is.Again) }) {
			return []Need{{Why: fmt.Sprintf("task %s waits for a %s, and there is none", t.ID, role)}}
		}
	}
	return nil
}

func (s *sight) countOpen() (n int) {
	for i := range s.Tasks {
		if s.Tasks[i].Status != tasks.Completed {
			n++
		}
	}
	return n
}

// stuck finds a voyage in which no task can continue. It reports nothing if tasks on hold are the reason, since they
// are needs of their own.
func (s *sight) stuck() []Need {
	if !s.IsStuck() || len(s.root) > 0 {
		return nil
	}
	return []Need{{Why: fleet.Counted(s.countOpen(), "open task waits", "open tasks wait") + " for tasks that there are not, or for each other"}}
}

// plans finds tasks that wait for the captain to approve their breakdown.
func (s *sight) plans() (all []Need) {
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.OnHold && t.Proposed > 0 {
			all = append(all, Need{Task: t.ID, Why: "it is to consist of " + fleet.Counted(t.Proposed, "task", "tasks"), Since: t.RequeuedAt})
		}
	}
	return all
}

func (s *sight) steering() (all []Need) {
	for i := range s.Steering {
		if is := &s.Steering[i]; is.Word == fleet.Waits {
			all = append(all, Need{Ships: []string{is.Ship}, Task: is.Task, Why: "it changes files that steer agents: " + is.FilesText(), Since: is.At, cause: is.Task + " " + is.Work})
		}
	}
	return all
}

func (s *sight) conflicts() (all []Need) {
	for i := range s.Ships {
		if is := &s.Ships[i]; is.Task != "" && is.Clash.Tries >= Conflicts {
			why := fmt.Sprintf("%d times in a row, the last in %s", is.Clash.Tries, is.Clash.FilesText())
			all = append(all, Need{Ships: []string{is.Name}, Task: is.Task, Why: why, Since: is.Clash.Since})
		}
	}
	return all
}

// maxNudges is how often helm tells a worker to commit before it tells the captain.
const maxNudges = 2

func (s *sight) uncommitted() (all []Need) {
	for i := range s.Ships {
		if is := &s.Ships[i]; is.Task != "" && is.Nudges > maxNudges {
			why := fmt.Sprintf("it was told %d times to commit what it has of dispatch %s", is.Nudges-1, is.Task)
			all = append(all, Need{Ships: []string{is.Name}, Task: is.Task, Why: why, Since: is.Committed})
		}
	}
	return all
}

func (s *sight) inTheWay() (all []Need) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if is, waits := s.InTheWay[t.ID]; waits {
			n := Need{Task: t.ID, Why: is.Why, Since: is.Since}
			if t.Status == tasks.InProgress {
				n.Ships = []string{t.Owner}
			}
			all = append(all, n)
		}
	}
	return all
}

func (s *sight) failsToVerify() []Need {
	if s.Phase != fleet.VerifyFailed {
		return nil
	}
	why := s.Verify.LastLine()
	if why == "" {
		why = "verify.sh fails"
	}
	return []Need{{Why: why, Since: s.Since}}
}

func (s *sight) unverified() []Need {
	if s.Phase != fleet.Verifying || s.Unverified.IsNone() || len(s.Ships) == 0 {
		return nil
	}
	n := Need{Why: s.Unverified.Why, Since: s.Unverified.Since}
	if s.Unverified.Changed {
		n.Do = DoAccept
	}
	return []Need{n}
}

// unreachable finds the ships out of reach. They are one need, since the reason of each changes with every attempt to reach
// it.
func (s *sight) unreachable() []Need {
	if !s.open {
		return nil
	}
	var n Need
	var why []string
	for i := range s.Ships {
		is := &s.Ships[i]
		if is.Status.Need != fleet.NeedUnreachable || s.now.Sub(latest(is.Status.Since, s.AwakeAt)) < max(leastGap, 2*is.UsualGap) {
			continue
		}
		if len(n.Ships) == 0 || is.Status.Since.Before(n.Since) {
			n.Since = is.Status.Since
		}
		if n.Ships = append(n.Ships, is.Name); is.Status.Reason != "" && !slices.Contains(why, is.Status.Reason) {
			why = append(why, is.Status.Reason)
		}
	}
	switch {
	case len(n.Ships) == 0:
		return nil
	case len(why) == 0:
		why = []string{"nothing is heard of it"}
	}
	n.Why = strings.Join(why, "; ")
	return []Need{n}
}

func (s *sight) floods() (all []Need) {
	for i := range s.Ships {
		if is := &s.Ships[i]; len(is.Slowed) > 0 {
			all = append(all, Need{Ships: []string{is.Name}, Why: "too much of its " + strings.Join(is.Slowed, " and "), Since: is.SlowedAt})
		}
	}
	return all
}

func (s *sight) machines() (all []Need) {
	for i := range s.Ships {
		is := &s.Ships[i]
		switch {
		case is.Phase == fleet.Going && is.Error != "":
			all = append(all, Need{Ships: []string{is.Name}, Why: is.Error, Since: is.StaysAt, now: is.Denied})
		case is.Phase == fleet.Failed && is.Stays != "":
			all = append(all, Need{Ships: []string{is.Name}, Why: is.Stays, Since: is.StaysAt, now: is.Denied})
		}
	}
	return all
}

func (s *sight) orphans() []Need {
	if len(s.Orphans) == 0 {
		return nil
	}
	const most = 3
	why := fleet.Counted(len(s.Orphans), "machine: ", "machines: ")
	for i, name := range s.Orphans[:min(most, len(s.Orphans))] {
		if i > 0 {
			why += ", "
		}
		why += name
	}
	return []Need{{Why: why}}
}

func (s *sight) records() (all []Need) {
	for _, p := range s.Problems {
		all = append(all, Need{Why: p})
	}
	return all
}

func (s *sight) costs() (all []Need) {
	if s.Guard != "" {
		all = append(all, Need{Why: s.Guard})
	}
	for i := range s.Ships {
		is := &s.Ships[i]
		if byItself := is.Task != "" && guard.TooOldForTasks(s.Voyage.Guards, s.now, &is.Ship); is.Guard != "" && !byItself {
			all = append(all, Need{Ships: []string{is.Name}, Why: is.Guard})
		}
	}
	return all
}

// isOpen reports whether ships have something left to do.
func isOpen(b *fleet.Board) bool {
	for i := range b.Tasks {
		t := &b.Tasks[i]
		if t.Status != tasks.Completed && (!t.OnHold || !b.Voyage.Kind.TakesDispatches()) { // no ship can do anything about a failed dispatch
			return !b.Phase.IsOver()
		}
	}
	return false
}

// countOut returns how many ships may have a machine.
func (s *sight) countOut() (n int) {
	for i := range s.Ships {
		if s.Ships[i].IsOut() {
			n++
		}
	}
	return n
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
