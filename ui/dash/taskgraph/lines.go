package taskgraph

import (
	"cmp"
	"slices"
	"strings"
)

// The directions in which a line leaves a cell.
const (
	up = 1 << iota
	down
	left
	right
)

// light and heavy are the characters for each set of directions.
var (
	light = [16]rune{' ', '│', '│', '│', '─', '╯', '╮', '┤', '─', '╰', '╭', '├', '─', '┴', '┬', '┼'}
	heavy = [16]rune{' ', '┃', '┃', '┃', '━', '┛', '┓', '┫', '━', '┗', '┏', '┣', '━', '┻', '┳', '╋'}
)

// mixed maps directions to the characters where light lines join or cross a heavy line: by all
// directions, and then by the two heavy ones.
var mixed = map[[2]uint8]rune{
	{up | down | right, up | down}: '┠', {up | down | right, up | right}: '┡', {up | down | right, down | right}: '┢',
	{up | down | left, up | down}: '┨', {up | down | left, up | left}: '┩', {up | down | left, down | left}: '┪',
	{down | left | right, left | right}: '┯', {down | left | right, down | left}: '┱', {down | left | right, down | right}: '┲',
	{up | left | right, left | right}: '┷', {up | left | right, up | left}: '┹', {up | left | right, up | right}: '┺',
	{15, up | down}: '╂', {15, left | right}: '┿', {15, up | left}: '╃', {15, up | right}: '╄', {15, down | left}: '╅', {15, down | right}: '╆',
}

// arrow is the end of a line at a box.
const arrow = '▸'

// widestChannel is the width of a channel with all tracks in use.
const widestChannel = 2*maxTracks + 3

// ink is the drawing in a row of a channel.
type ink struct {
	light, heavy []uint8
	arrow        uint8 // 1 light, 2 heavy
}

// style renders a line.
type style interface{ Render(text ...string) string }

// Channel draws a row of the channel after column c of the whole picture.
func (g *Graph) Channel(line, strong style, c, row int) string {
	ch := &g.channels[c]
	if len(ch.tracks) == 0 {
		return strings.Repeat(" ", ch.Width)
	}
	var cells [2 * widestChannel]uint8
	k := ink{light: cells[:ch.Width], heavy: cells[widestChannel:][:ch.Width]}
	for track := range ch.tracks {
		if n := ch.crossing(track, row); n != nil {
			g.drawNet(&k, n, 1+2*track, row)
		}
	}
	slot := int32(row / BoxHeight)
	if i := g.Box(c, slot); i >= 0 && g.outRow(i) == row {
		if o := g.out[i]; o.track >= 0 {
			k.run(0, 1+2*int(o.track), o.heavy)
		}
	}
	if c+1 < len(g.columns) {
		if j := g.Box(c+1, slot); j >= 0 && g.inRow(j) == row {
			if e := g.in[j]; e.track >= 0 {
				k.run(2+2*int(e.track), ch.Width-1, false)
				k.arrow = 1
				if e.heavy >= 0 {
					k.run(2+2*int(e.heavy), ch.Width-1, true)
					k.arrow = 2
				}
			}
		}
	}
	return k.render(line, strong)
}

// drawNet draws a net's part of a row, with its track in column x of the channel.
func (g *Graph) drawNet(k *ink, n *net, x, row int) {
	out := g.outRow(n.from)
	var at uint8
	if row > n.top {
		at |= up
	}
	if row < n.bottom {
		at |= down
	}
	if row == out {
		at |= left
	}
	_, enters := slices.BinarySearchFunc(n.to, row, func(j int32, row int) int { return cmp.Compare(g.inRow(j), row) })
	if enters {
		at |= right
	}
	k.light[x] |= at
	if n.heavy < 0 {
		return
	}
	in := g.inRow(n.heavy)
	lo, hi := min(out, in), max(out, in)
	at = 0
	if row > lo && row <= hi {
		at |= up
	}
	if row >= lo && row < hi {
		at |= down
	}
	if row == out {
		at |= left
	}
	if row == in {
		at |= right
	}
	k.heavy[x] |= at
}

// run draws a line through the cells from from up to but excluding to.
func (k *ink) run(from, to int, strong bool) {
	for x := from; x < to; x++ {
		k.light[x] |= left | right
		if strong {
			k.heavy[x] |= left | right
		}
	}
}

// render returns the row in the styles of its lines.
func (k *ink) render(line, bold style) string {
	var b, run strings.Builder
	was := false
	flush := func() {
		if run.Len() == 0 {
			return
		}
		look := line
		if was {
			look = bold
		}
		b.WriteString(look.Render(run.String()))
		run.Reset()
	}
	for x := range k.light {
		r, strong := light[k.light[x]], false
		if h := k.heavy[x]; h != 0 {
			strong = true
			if both, joins := mixed[[2]uint8{k.light[x], h}]; joins {
				r = both
			} else {
				r = heavy[h]
			}
		}
		if x == len(k.light)-1 && k.arrow > 0 {
			r, strong = arrow, k.arrow == 2
		}
		if strong != was {
			flush()
			was = strong
		}
		run.WriteRune(r)
	}
	flush()
	return b.String()
}
