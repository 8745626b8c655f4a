package logpane

import (
	"strings"

	"ocaptain/ui/logs"
)

// entry is what a record says, ready to be drawn.
type entry struct {
	line  *logs.Line
	texts []string // its words, line by line, without tabs

	grep *logs.Pattern // that hits is for
	hits [][][]int     // by line: name, lead and text of the first, text of others
}

// The cache is turned over when it holds so much; what is drawn moves on, the rest goes.
const (
	cacheEntries = 4096
	cacheBytes   = 8 << 20
)

// mostLines is how many lines of one record are drawn.
const mostLines = 200

// cache keeps the words of the records that came or were drawn last.
type cache struct {
	now, before map[int64]*entry
	size        int
}

func newCache() cache { return cache{now: map[int64]*entry{}} }

// add keeps the words of a record.
func (c *cache) add(seq int64, l *logs.Line) {
	c.put(seq, &entry{line: l})
}

func (c *cache) put(seq int64, e *entry) {
	if len(c.now) >= cacheEntries || c.size > cacheBytes {
		c.now, c.before, c.size = make(map[int64]*entry, cacheEntries), c.now, 0
	}
	c.now[seq] = e
	c.size += len(e.line.Words)
}

// get returns what a record says, nil when that must be read first.
func (c *cache) get(seq int64) *entry {
	if e := c.now[seq]; e != nil {
		return e
	}
	e := c.before[seq]
	if e != nil {
		c.put(seq, e)
	}
	return e
}

// line is get for the search.
func (c *cache) line(seq int64) *logs.Line {
	e := c.now[seq]
	if e == nil {
		e = c.before[seq]
	}
	if e == nil {
		return nil
	}
	return e.line
}

// split returns the lines of the entry's words.
func (e *entry) split() []string {
	if e.texts == nil {
		e.texts = strings.SplitN(strings.ReplaceAll(e.line.Words, "\t", "    "), "\n", mostLines+1)
		if len(e.texts) > mostLines {
			e.texts[mostLines] = "… " + counted(1+strings.Count(e.texts[mostLines], "\n")) + " more"
		}
	}
	return e.texts
}

// find returns where the pattern matches in each line.
func (e *entry) find(p *logs.Pattern) [][][]int {
	if e.grep != p {
		e.grep, e.hits = p, nil
		for i, text := range e.split() {
			if i == 0 {
				text = e.line.Name() + " " + e.line.Lead() + text
			}
			e.hits = append(e.hits, p.Hits(text))
		}
	}
	return e.hits
}
