package taskpane

import (
	"ocaptain/fleet"
	"ocaptain/ui/dash/taskgraph"
)

// Mode is an arrangement of the tasks.
type Mode uint8

// The modes.
const (
	List  Mode = iota // by standing
	Tree              // below their blockers
	Graph             // levels as columns, with lines between them
	modes = 3
)

// String returns the mode's name.
func (m Mode) String() string { return [modes]string{"list", "tree", "graph"}[m] }

// SetMode sets the mode.
func (p *Pane) SetMode(m Mode) {
	p.mode = m % modes
	p.window.loose = false
	p.arrange()
}

// CycleMode switches from list to tree to graph and back.
func (p *Pane) CycleMode() { p.SetMode(p.mode + 1) }

// arrange puts the tasks that pass the filters in the order of the mode, and keeps the cursor on
// its task.
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

// whole returns the index of the task or epic that task i is a part of, -1 for none.
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

// list arranges tasks by standing, and then in the order of the board.
func (p *Pane) list(show func(int32) bool) {
	var n fleet.Tally
	for i, s := range p.Standings {
		if show(int32(i)) {
			n[s]++
		}
	}
	p.rows = append(p.rows[:0], make([]int32, n.Total())...)
	var next fleet.Tally // the next row of each standing
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
