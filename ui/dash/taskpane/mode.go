package taskpane

import (
	"ocaptain/fleet"
	"ocaptain/ui/dash/taskgraph"
)

// Mode is how the tasks are arranged.
type Mode uint8

// The modes.
const (
	List  Mode = iota // by what becomes of them
	Tree              // under what they wait for
	Graph             // the levels as columns, with lines between
	modes = 3
)

// String is the mode's name.
func (m Mode) String() string { return [modes]string{"list", "tree", "graph"}[m] }

// SetMode arranges the tasks in that way.
func (p *Pane) SetMode(m Mode) {
	p.mode = m % modes
	p.window.loose = false
	p.arrange()
}

// CycleMode goes from the list to the tree to the graph and back.
func (p *Pane) CycleMode() { p.SetMode(p.mode + 1) }

// arrange puts the tasks that the filters let through in the order of the mode, and
// keeps the cursor on its task.
func (p *Pane) arrange() {
	if p.Board == nil {
		return
	}
	show := p.filter.shown(p)
	switch {
	case p.IsPool():
		p.arrangePool(show)
	case p.mode == Tree:
		p.rows = p.tree.grow(p.Order, p.whole, show, p.rows[:0])
	case p.mode == Graph:
		if p.graph == nil {
			p.graph = taskgraph.New(p.Order, p.Task)
		}
		p.rows = p.rows[:0]
		for _, i := range p.graph.Order {
			if show(i) {
				p.rows = append(p.rows, i)
			}
		}
	default:
		p.list(show)
	}
	p.find()
}

// whole is the place of the task or epic that a task is a part of, -1 for none.
func (p *Pane) whole(i int32) int32 {
	parent := p.All[i].Parent()
	if parent == "" {
		return -1
	}
	if at, ok := p.Order.Place[parent]; ok {
		return at
	}
	return -1
}

// list arranges by standing, and by the order of the board within.
func (p *Pane) list(show func(int32) bool) {
	var n fleet.Tally
	for i, s := range p.Standings {
		if show(int32(i)) {
			n[s]++
		}
	}
	p.rows = append(p.rows[:0], make([]int32, n.Total())...)
	var next fleet.Tally // where the next row of each standing goes
	for s := 1; s < len(next); s++ {
		next[s] = next[s-1] + n[s-1]
	}
	for i, s := range p.Standings {
		if show(int32(i)) {
			p.rows[next[s]] = int32(i)
			next[s]++
		}
	}
}
