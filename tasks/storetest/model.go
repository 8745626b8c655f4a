package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// testModel runs random operations on a store and on a trivial model, and compares their answers.
func testModel(t *testing.T, fresh Fresh) {
	for round := range 8 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			all := Graph(24, seed)
			opener := fresh(t)
			s := opener(t)
			defer func() { s.Close() }()
			m := &model{all: map[string]*modelled{}}
			add(t, s, all[:16]...)
			m.add(all[:16])
			for step := range 250 {
				owner := fmt.Sprint("ship-", random.IntN(4))
				id := fmt.Sprint(1 + random.IntN(len(all)+1))
				switch random.IntN(13) {
				case 0, 1:
					id = ""
					fallthrough
				case 2, 3:
					g, err := s.Claim(t.Context(), owner, id)
					same(t, step, fmt.Sprintf("%s claims %q", owner, id), outcome(err, g.Task.ID, g.Epoch), m.claim(owner, id))
				case 4, 5, 6:
					if held := m.held(owner); held != nil && random.IntN(4) > 0 {
						id = held.ID
					}
					epoch := uint64(random.IntN(3))
					if known := m.all[id]; known != nil && random.IntN(4) > 0 {
						epoch = known.epoch
					}
					err := s.Complete(t.Context(), tasks.Completion{Task: id, Owner: owner, Epoch: epoch})
					same(t, step, fmt.Sprintf("%s completes %s/%d", owner, id, epoch), outcome(err, "", 0), m.complete(owner, id, epoch))
				case 7:
					epoch := uint64(random.IntN(3))
					err := s.Requeue(t.Context(), tasks.Requeue{Task: id, Epoch: epoch})
					same(t, step, fmt.Sprintf("requeue %s/%d", id, epoch), outcome(err, "", 0), m.requeue(id, epoch))
				case 8:
					if random.IntN(4) == 0 {
						if err := s.Close(); err != nil {
							t.Fatal(err)
						}
						s = opener(t)
					}
				case 9:
					if n := len(m.all); n < len(all) && random.IntN(3) == 0 {
						add(t, s, all[n])
						m.add(all[n : n+1])
					}
				case 10:
					if random.IntN(3) == 0 {
						owner = ""
					}
					err := s.Reserve(t.Context(), id, owner)
					same(t, step, fmt.Sprintf("reserve %s for %q", id, owner), outcome(err, "", 0), m.reserve(id, owner))
				}
				for id, want := range m.all {
					got := s.Snapshot().Task(id)
					if got.Status != want.Status || got.Owner != want.Owner || got.Epoch != want.epoch || got.ReservedFor != m.reserved(want) {
						t.Fatalf("step %d: task %s is %+v, want %+v reserved for %q", step, id, got, want, m.reserved(want))
					}
				}
			}
		})
	}
}

// same compares two answers.
func same(t *testing.T, step int, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("step %d: %s: got %s, want %s", step, what, got, want)
	}
}

// outcome puts an answer into words.
func outcome(err error, id string, epoch uint64) string {
	if no, ok := errors.AsType[*tasks.Refusal](err); ok {
		return string(no.Why) + " " + no.Owner
	}
	if err != nil {
		return "error"
	}
	return fmt.Sprintf("%s/%d", id, epoch)
}

// model is the contract in its simplest form: it scans all tasks every time.
type model struct {
	all   map[string]*modelled
	clock int
}

type modelled struct {
	tasks.Task
	epoch  uint64
	since  int    // the step of the claim
	holder string // the owner for whom the task or its group is reserved
}

func (m *model) add(all []tasks.Task) {
	for _, t := range all {
		m.all[t.ID] = &modelled{Task: t}
	}
	for _, t := range all {
		if x := m.all[t.ID]; x.Group() != "" {
			for _, other := range m.all {
				if other.Group() == x.Group() && other.holder != "" && other != x {
					x.holder = other.holder
				}
			}
		}
	}
}

// groupOf returns the tasks of t's group, t included.
func (m *model) groupOf(t *modelled) []*modelled {
	members := []*modelled{t}
	for _, other := range m.all {
		if other != t && t.Group() != "" && other.Group() == t.Group() {
			members = append(members, other)
		}
	}
	return members
}

func (m *model) hold(t *modelled, holder string) {
	for _, x := range m.groupOf(t) {
		x.holder = holder
	}
}

func (m *model) reserved(t *modelled) string {
	if t.Status == tasks.Pending {
		return t.holder
	}
	return ""
}

func (m *model) reserve(id, owner string) string {
	t := m.all[id]
	switch {
	case t == nil:
		return string(tasks.Unknown) + " "
	case t.Status == tasks.Completed:
		return string(tasks.Done) + " " + t.Owner
	case t.Status == tasks.InProgress:
		return string(tasks.Taken) + " " + t.Owner
	case t.Group() != "":
		return "error"
	}
	t.holder = owner
	return "/0"
}

func (m *model) open(t *modelled) bool {
	return slices.ContainsFunc(t.BlockedBy, func(id string) bool { return m.all[id].Status != tasks.Completed })
}

func (m *model) height(id string) int {
	height := 0
	for _, t := range m.all {
		if slices.Contains(t.BlockedBy, id) {
			height = max(height, m.height(t.ID))
		}
	}
	return height + 1
}

func (m *model) held(owner string) (latest *modelled) {
	for _, t := range m.all {
		if t.Status == tasks.InProgress && t.Owner == owner && (latest == nil || t.since > latest.since) {
			latest = t
		}
	}
	return latest
}

// rank returns a string that sorts first for the task that owner should get first.
func (m *model) rank(t *modelled, owner string) string {
	reserved := 1
	if t.holder == owner {
		reserved = 0
	}
	return fmt.Sprintf("%d %d %04d %04s", reserved, t.Priority(), 9999-m.height(t.ID), t.ID)
}

func (m *model) claim(owner, id string) string {
	t := m.all[id]
	if id == "" {
		if t = m.held(owner); t == nil {
			for _, x := range m.all {
				if x.Status == tasks.Pending && !m.open(x) && (x.holder == "" || x.holder == owner) &&
					(t == nil || strings.Compare(m.rank(x, owner), m.rank(t, owner)) < 0) {
					t = x
				}
			}
		}
		if t == nil {
			return string(tasks.NothingReady) + " "
		}
	}
	switch {
	case t == nil:
		return string(tasks.Unknown) + " "
	case t.Status == tasks.Completed:
		return string(tasks.Done) + " " + t.Owner
	case t.Status == tasks.InProgress && t.Owner != owner:
		return string(tasks.Taken) + " " + t.Owner
	case t.Status == tasks.InProgress:
	case t.holder != "" && t.holder != owner:
		return string(tasks.Taken) + " " + t.holder
	case m.open(t):
		return string(tasks.Blocked) + " "
	default:
		m.clock++
		t.Status, t.Owner, t.since = tasks.InProgress, owner, m.clock
		t.epoch++
		m.hold(t, owner)
	}
	return fmt.Sprintf("%s/%d", t.ID, t.epoch)
}

func (m *model) complete(owner, id string, epoch uint64) string {
	t := m.all[id]
	current := t != nil && t.Owner == owner && t.epoch == epoch && epoch > 0
	switch {
	case t == nil:
		return string(tasks.Unknown) + " "
	case t.Status == tasks.Completed && !current:
		return string(tasks.Done) + " " + t.Owner
	case t.Status != tasks.Completed && (t.Status != tasks.InProgress || !current):
		return string(tasks.Stale) + " " + t.Owner
	}
	t.Status = tasks.Completed
	if !slices.ContainsFunc(m.groupOf(t), func(x *modelled) bool { return x.Status != tasks.Completed }) {
		m.hold(t, "")
	}
	return "/0"
}

func (m *model) requeue(id string, epoch uint64) string {
	t := m.all[id]
	switch {
	case t == nil:
		return string(tasks.Unknown) + " "
	case t.Status == tasks.Completed:
		return string(tasks.Done) + " " + t.Owner
	case epoch != 0 && (t.Status != tasks.InProgress || t.epoch != epoch):
		return string(tasks.Stale) + " " + t.Owner
	}
	t.Status, t.Owner = tasks.Pending, ""
	if !slices.ContainsFunc(m.groupOf(t), func(x *modelled) bool { return x.Status == tasks.InProgress }) {
		m.hold(t, "")
	}
	return "/0"
}
