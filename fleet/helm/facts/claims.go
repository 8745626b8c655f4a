package facts

import (
	"cmp"
	"maps"
	"slices"

	"ocaptain/tasks"
)

// Claims holds facts about claims that the tasks do not have: which claims had a checkout, which were ended by helm,
// and how many merges of each ship had conflicts.
type Claims struct {
	checkouts map[string]uint64 // the epoch of each task's last claim that has its checkout
	stands    map[string]string // by ship: the task of the last checkout in its tree
	fences    map[string]fenced // by claim
	count     map[string]int    // fences of each ship so far, dropped fences included
	conflicts map[string]int    // number of conflicts by ship
}

// Checkout records that the claim with this epoch had its checkout. Without a task, it records a checkout for no
// task.
type Checkout struct {
	Task   string `json:"task"`
	Ship   string `json:"ship"`
	Epoch  uint64 `json:"epoch"`
	Commit string `json:"commit"`
	Parked string `json:"parked,omitempty"`
}

// Conflict says that a completion was refused because the work conflicted with the branch.
type Conflict struct {
	Task  string   `json:"task"`
	Ship  string   `json:"ship"`
	Paths []string `json:"paths"`
	Count int      `json:"count,omitempty"` // conflicts of the ship so far, including this one
}

// Fence records that helm ended a claim. Helm tells the ship that held the claim and the next owner of the task. The
// journal has the Fence before the claim ends.
type Fence struct {
	Task  string `json:"task"`
	Ship  string `json:"ship"`
	Epoch uint64 `json:"epoch"`
	Why   string `json:"why"`
	Kept  string `json:"kept,omitempty"` // the ref with unmerged work

	GoesOn bool `json:"goes_on,omitempty"` // the ship has to claim the task again
}

// fenced is a fence with its number among its ship's fences, from 1.
type fenced struct {
	Fence
	number int
}

// maxFences is how many of its last lost claims a ship may ask about. A ship holds one claim at a time, and asks about a lost one at once or
// at its next connection.
const maxFences = 20

// CheckOut records a checkout.
func (c *Claims) CheckOut(o Checkout) {
	if o.Ship != "" {
		set(&c.stands, o.Ship, o.Task)
	}
	if o.Task != "" {
		set(&c.checkouts, o.Task, o.Epoch)
	}
}

// IsCheckedOut reports whether the claim with that epoch has its tree.
func (c *Claims) IsCheckedOut(task string, epoch uint64) bool {
	got, ok := c.checkouts[task]
	return ok && got == epoch
}

// StandsFor returns the task of the last checkout in the ship's tree, "" for none.
func (c *Claims) StandsFor(ship string) string { return c.stands[ship] }

// AddFence stores a fence. Forget drops it later.
func (c *Claims) AddFence(f Fence) {
	claim := tasks.ClaimID(f.Task, f.Epoch)
	if old, ok := c.fences[claim]; ok { // the fence is repeated
		set(&c.fences, claim, fenced{f, old.number})
		return
	}
	set(&c.count, f.Ship, c.count[f.Ship]+1)
	set(&c.fences, claim, fenced{f, c.count[f.Ship]})
}

// FenceOf returns the fence of the claim with that epoch, if there is one.
func (c *Claims) FenceOf(task string, epoch uint64) (Fence, bool) {
	f, ok := c.fences[tasks.ClaimID(task, epoch)]
	return f.Fence, ok
}

// CountConflict counts a conflict of a ship, and returns how many the ship has had.
func (c *Claims) CountConflict(ship string) int {
	set(&c.conflicts, ship, c.conflicts[ship]+1)
	return c.conflicts[ship]
}

// Conflicts returns how many conflicts the ship has had.
func (c *Claims) Conflicts(ship string) int { return c.conflicts[ship] }

func (c *Claims) addConflict(o Conflict) {
	set(&c.conflicts, o.Ship, max(o.Count, c.conflicts[o.Ship]))
}

func (c *Claims) records() (all []Record) {
	for task, epoch := range c.checkouts {
		all = append(all, Record{Kind: KindCheckout, Data: Checkout{Task: task, Epoch: epoch}})
	}
	for ship, task := range c.stands {
		o := Checkout{Ship: ship}
		if epoch, ok := c.checkouts[task]; ok {
			o.Task, o.Epoch = task, epoch
		}
		all = append(all, Record{Kind: KindCheckout, Data: o})
	}
	byNumber := func(a, b fenced) int { return cmp.Compare(a.number, b.number) } // replay numbers them in the order of these records
	for _, f := range slices.SortedFunc(maps.Values(c.fences), byNumber) {
		all = append(all, Record{Kind: KindFence, Data: f.Fence})
	}
	for ship, n := range c.conflicts {
		all = append(all, Record{Kind: KindConflict, Data: Conflict{Ship: ship, Count: n}})
	}
	return all
}

// DropCurrent drops the fences of claims that are still current: helm crashed after it had written the fence and
// before it ended the claim.
func (c *Claims) DropCurrent(task func(id string) *tasks.State) {
	maps.DeleteFunc(c.fences, func(_ string, f fenced) bool {
		t := task(f.Task)
		return t != nil && t.Status == tasks.InProgress && t.Owner == f.Ship && t.Epoch == f.Epoch
	})
}

func (c *Claims) forget(task func(id string) *tasks.State, there map[string]bool) {
	maps.DeleteFunc(c.checkouts, func(id string, epoch uint64) bool {
		t := task(id)
		return t == nil || t.Status != tasks.InProgress || t.Epoch != epoch
	})
	maps.DeleteFunc(c.stands, func(ship, _ string) bool { return !there[ship] })
	maps.DeleteFunc(c.count, func(ship string, _ int) bool { return !there[ship] })
	maps.DeleteFunc(c.fences, func(_ string, f fenced) bool {
		t := task(f.Task)
		told := t == nil || t.Status == tasks.Completed || t.Epoch > f.Epoch+1 // the next owner knows of the kept work, or there is no next owner
		return told && (!there[f.Ship] || c.count[f.Ship]-f.number >= maxFences)
	})
}

// set sets a value in a map that may be nil.
func set[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
