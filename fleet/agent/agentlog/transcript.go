package agentlog

import (
	"bufio"
	"errors"
	"io"
	"time"
)

// Transcript says where an agent writes its transcripts, and how to read them.
type Transcript struct {
	// Files lists the existing files of a session: its own first, then those of its subagents.
	Files func(home, session string) []string

	// Dirs lists the directories in which such files may appear, including missing ones.
	Dirs func(home, workspace, session string) []string

	// Reader returns a function that decodes the lines of one file, in order. It returns the zero Step for lines that it
	// does not understand, since formats change.
	Reader func(workspace string) func(line []byte) Step

	// Queue lists the messages that the agent got while it was busy and will begin after its turn. whole reports whether the
	// file already contains the last answer. Lines from before since belong to another process.
	Queue func(file, answer string, since time.Time) (queued []string, whole bool)
}

// Step is the content of one line of a transcript.
type Step struct {
	Message string // id of the model's answer that the line is a part of, "" for none
	Model   string // the model that answered
	Tokens  Tokens // the tokens of the whole answer; every line of the answer may have them
	Sub     bool   // the line is from a subagent
	Over    bool   // the agent's turn is over
	Entries []Entry
}

// Entry is a line for the log.
type Entry struct {
	Key  string // identifies the entry, so that a copy of it is not logged again
	Kind string // say, tool, result or error, as in proto.Log
	Text string
}

// Tokens are the tokens of a model's answers.
type Tokens struct {
	Input      int64 `json:"input,omitempty"` // without the tokens that came from the cache
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cacheRead,omitempty"`
	CacheWrite int64 `json:"cacheWrite,omitempty"`
}

// Add returns the sum of t and o.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead, t.CacheWrite + o.CacheWrite}
}

// Sub returns t minus o.
func (t Tokens) Sub(o Tokens) Tokens {
	return Tokens{t.Input - o.Input, t.Output - o.Output, t.CacheRead - o.CacheRead, t.CacheWrite - o.CacheWrite}
}

// Sum returns the number of all tokens, in and out, cached or not.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// MaxLine is the longest line of a transcript in bytes. Longer lines are skipped and never held in memory.
const MaxLine = 4 << 20

// ReadLines calls each with every line of r, without the newline; a line is valid until each returns. It returns how
// many bytes it has read. It neither reads nor counts a last line without a newline. It counts all bytes so far of a
// line that is too long, so that no later call reads them again.
func ReadLines(r io.Reader, each func(line []byte)) (int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var done, open int64 // bytes of whole lines, and of the unfinished line
	var held []byte      // the beginning of the unfinished line
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
