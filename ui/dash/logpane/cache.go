package logpane

import (
	"strings"

	"ocaptain/ui/logs"
)

// entry is the text of a record, ready to be drawn.
type entry struct {
	line  *logs.Line
	texts []string // its text by line, without tabs

	grep *logs.Pattern // pattern of hits
	hits [][][]int     // hits by line: name, lead and text of the first line, text of the others
}

// The size at which the cache drops all entries but the lately drawn ones.
const (
	cacheEntries = 4096
	cacheBytes   = 8 << 20
)

// maxLines is how many lines of one record are drawn.
const maxLines = 200

// cache holds the text of the records that came or were drawn last.
type cache struct {
	now, before map[int64]*entry
	size        int
}

func newCache() cache { return cache{now: map[int64]*entry{}} }

// add adds the text of a record.
func (c *cache) add(seq int64, l *logs.Line) {
	c.putEntry(seq, &entry{line: l})
}

func (c *cache) putEntry(seq int64, e *entry) {
	if len(c.now) >= cacheEntries || c.size > cacheBytes {
		c.now, c.before, c.size = make(map[int64]*entry, cacheEntries), c.now, 0
	}
	c.now[seq] = e
	c.size += len(e.line.Words)
}

// entryOf returns the entry of a record, nil when the record must be read first.
func (c *cache) entryOf(seq int64) *entry {
	if e := c.now[seq]; e != nil {
		return e
	}
	e := c.before[seq]
	if e != nil {
		c.putEntry(seq, e)
	}
	return e
}

// lineOf returns the line of a record for the search.
func (c *cache) lineOf(seq int64) *logs.Line {
	e := c.now[seq]
	if e == nil {
		e = c.before[seq]
	}
	if e == nil {
		return nil
	}
	return e.line
}

// wordLines returns the lines of the entry's words.
func (e *entry) wordLines() []string {
	if e.texts == nil {
		e.texts = strings.SplitN(strings.ReplaceAll(e.line.Words, "\t", "    "), "\n", maxLines+1)
		if len(e.texts) > maxLines {
			e.texts[maxLines] = "… " + counted(1+strings.Count(e.texts[maxLines], "\n")) + " more"
		}
	}
	return e.texts
}

// matches returns where the pattern matches in each line.
func (e *entry) matches(p *logs.Pattern) [][][]int {
	if e.grep != p {
		e.grep, e.hits = p, nil
		for i, text := range e.wordLines() {
			if i == 0 {
				text = e.line.Name() + " " + e.line.Prefix() + text
			}
			e.hits = append(e.hits, p.FindAllIndex(text))
		}
	}
	return e.hits
}
