package agentlog

import (
	"bufio"
	"errors"
	"io"
	"time"
)

// Transcript tells where an agent writes down its sessions, and how that is read.
type Transcript struct {
	// Files lists the files of a session that are there: its own first, then those of
	// its subagents.
	Files func(home, session string) []string

	// Dirs lists the directories in which these files appear, there already or not.
	Dirs func(home, workspace, session string) []string

	// Reader returns a function that reads the lines of one file, in their order. What it
	// cannot read tells nothing, and is no error: formats grow.
	Reader func(workspace string) func(line []byte) Step

	// Queue lists what the agent was told while it was busy and begins with when its turn is over, and reports whether the file
	// has come as far as the last answer. What is older than since is a matter of another process.
	Queue func(file, answer string, since time.Time) (queued []string, whole bool)
}

// Step is what a line of a transcript tells.
type Step struct {
	Message string // id of the model's answer that it is a part of, "" for none
	Model   string // that answered
	Tokens  Tokens // of the whole answer; every line of it may tell them
	Sub     bool   // it is a subagent's
	Over    bool   // the agent's turn is over
	Entries []Entry
}

// Entry is something to be logged.
type Entry struct {
	Key  string // names it, so that a copy of it is not logged again
	Kind string // say, tool, result or error, as in proto.Log
	Text string
}

// Tokens is what answers of a model cost.
type Tokens struct {
	Input      int64 `json:"input,omitempty"` // asked, without what the cache had
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cacheRead,omitempty"`
	CacheWrite int64 `json:"cacheWrite,omitempty"`
}

// Add returns the sum of both.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead, t.CacheWrite + o.CacheWrite}
}

// Sub returns what t has more than o.
func (t Tokens) Sub(o Tokens) Tokens {
	return Tokens{t.Input - o.Input, t.Output - o.Output, t.CacheRead - o.CacheRead, t.CacheWrite - o.CacheWrite}
}

// Sum is the number of all tokens, in and out, cached or not.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// MaxLine bounds a line of a transcript. Longer ones are skipped and never held.
const MaxLine = 4 << 20

// ReadLines calls each with the lines of r, without their ends; a line is valid until each returns.
// It returns how many bytes they took. A last line without an end is neither read nor counted yet.
// A line that is too long is counted as far as it is there, so that no later call reads it again.
func ReadLines(r io.Reader, each func(line []byte)) (int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var done, open int64 // bytes of whole lines, and of the line that is being read
	var held []byte      // the beginning of that line
	long := false
	for {
		part, err := in.ReadSlice('\n')
		open += int64(len(part))
		switch {
		case err == nil && !long && open <= MaxLine:
			line := part
			if len(held) > 0 {
				held = append(held, part...)
				line = held
			}
			each(line[:len(line)-1])
		case err != nil && !long && open <= MaxLine:
			held = append(held, part...)
		default:
			long, held = true, nil
		}
		if err == nil {
			done, open, long, held = done+open, 0, false, held[:0]
			continue
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			done += open
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return done, err
	}
}
