package taskgraph

import (
	"cmp"
	"slices"
	"sort"

	"ocaptain/tasks"
)

// channel is the space between two columns. Every task with dependents in the next column has a net
// in it, which runs vertically on a track.
type channel struct {
	Width  int
	tracks [][]net // from top to bottom on each track; they do not touch
}

// net is the lines from a task to its dependents.
type net struct {
	from        int32
	to          []int32 // in the order of their slots
	top, bottom int     // rows of the picture
	heavy       int32   // the task of to that is next on the critical path, -1 for none
}

// exit is where lines leave a task: the track, -1 for none, and whether a line is on the critical
// path.
type exit struct {
	track int8
	heavy bool
}

// entry is where lines enter a task.
type entry struct {
	track int8 // the first track of an entering line, -1 for none
	heavy int8 // the track of the critical path, -1 for none
}

func (g *Graph) outRow(i int32) int { return int(g.slot[i])*BoxHeight + 2 }
func (g *Graph) inRow(i int32) int  { return int(g.slot[i])*BoxHeight + 1 }

// route finds tracks for the lines between adjacent columns. A dependency without a line, because
// it skips a column or there are too many lines, goes into Also.
func (g *Graph) route(o *tasks.Order) {
	g.channels = make([]channel, len(g.columns))
	g.out, g.in = make([]exit, len(g.slot)), make([]entry, len(g.slot))
	for i := range g.out {
		g.out[i].track, g.in[i] = -1, entry{-1, -1}
	}
	for c := range g.columns {
		nets := g.nets(o, c)
		ch := channel{Width: 3}
		var bottom []int
		for _, n := range nets {
			track := slices.IndexFunc(bottom, func(row int) bool { return row < n.top })
			if track < 0 && len(bottom) < maxTracks {
				track = len(bottom)
				bottom = append(bottom, 0)
				ch.tracks = append(ch.tracks, nil)
			}
			if track < 0 {
				for _, i := range n.to {
					g.Also[i] = append(g.Also[i], n.from)
				}
				continue
			}
			bottom[track] = n.bottom
			ch.tracks[track] = append(ch.tracks[track], n)
			g.out[n.from] = exit{int8(track), n.heavy >= 0}
			for _, i := range n.to {
				e := &g.in[i]
				if e.track < 0 || int8(track) < e.track {
					e.track = int8(track)
				}
				if n.heavy == i {
					e.heavy = int8(track)
				}
			}
		}
		if len(ch.tracks) > 0 {
			ch.Width = 2*len(ch.tracks) + 3
		}
		g.channels[c] = ch
	}
	for i, list := range o.Before {
		for _, j := range list {
			if g.column[j]+1 != g.column[i] || o.Level[i] == 0 {
				g.Also[i] = append(g.Also[i], j)
			}
		}
		slices.Sort(g.Also[i])
	}
}

// nets returns the nets from a column to the next, from top to bottom.
func (g *Graph) nets(o *tasks.Order, c int) []net {
	var all []net
	for _, i := range g.columns[c] {
		if o.Level[i] == 0 {
			continue
		}
		n := net{from: i, top: g.outRow(i), bottom: g.outRow(i), heavy: -1}
		for _, j := range o.After[i] {
			if o.Level[j] == o.Level[i]+1 {
				n.to = append(n.to, j)
				n.top, n.bottom = min(n.top, g.inRow(j)), max(n.bottom, g.inRow(j))
				if g.next[i] == j {
					n.heavy = j
				}
			}
		}
		if len(n.to) > 0 {
			if len(n.to) > 1 {
				slices.SortFunc(n.to, func(a, b int32) int { return cmp.Compare(g.slot[a], g.slot[b]) })
			}
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b net) int { return cmp.Compare(a.top, b.top) })
	return all
}

// crossing returns the net that covers a row of a track, or nil.
func (ch *channel) crossing(track, row int) *net {
	list := ch.tracks[track]
	n := sort.Search(len(list), func(n int) bool { return list[n].bottom >= row })
	if n < len(list) && list[n].top <= row {
		return &list[n]
	}
	return nil
}
