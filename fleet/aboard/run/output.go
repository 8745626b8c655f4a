package run

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

// Limits of what one turn may print.
const (
	maxRecord  = 1 << 20 // bytes of a line
	maxLogged  = 4000    // records of one turn in the log
	maxResult  = 6       // lines of a tool's result in the terminal
	keptLines  = 8       // last lines that are kept for an error
	maxLine    = 2 << 10 // bytes of one line in the log
	maxMessage = 16 << 10
)

// output handles what an agent prints during a turn, line by line. It shows that to people, in the terminal and in
// the ship's log.
type output struct {
	book *shipdir.Journal
	tty  io.Writer
	read func([]byte) ([]agentlog.Event, bool) // decodes a line; nil for an agent that prints plain text
	turn int

	mu      sync.Mutex
	line    splitter
	parts   strings.Builder // the pieces so far of a text
	logged  int
	last    []string
	said    string // the last text by the agent itself
	failed  string
	session string
	used    func(agentlog.Event) // handles events that may report tokens; nil if no tokens are counted
	next    func() int           // counts another answer of the model; nil if answers are not counted
	heard   bool                 // the model has got something to answer, such as a result
}

func newOutput(book *shipdir.Journal, tty io.Writer, read func([]byte) ([]agentlog.Event, bool), turn int) *output {
	o := &output{book: book, tty: tty, read: read, turn: turn, heard: true}
	o.line.emit = o.takeLine
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.line.write(p)
	return len(p), nil
}

// flush handles a last line that has no newline.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.line.flush()
	o.flushParts()
}

// result returns why the turn failed, according to the agent, and the agent's last words.
func (o *output) result() (failed, last string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return firstLines(o.failed, 3), strings.Join(o.last, " · ")
}

// lastWords returns the last text by the agent itself, or the last lines of an agent that prints plain text.
func (o *output) lastWords() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said == "" {
		return strings.Join(o.last, "\n")
	}
	return o.said
}

// takeLine handles one line of standard output.
func (o *output) takeLine(line []byte, whole bool) {
	if o.read != nil && whole {
		if events, ok := o.read(line); ok {
			for _, e := range events {
				o.takeEvent(e)
			}
			return
		}
	}
	o.takeText(line)
}

// takeText handles a line that is not JSON.
func (o *output) takeText(line []byte) {
	o.flushParts()
	s := clean.Text(string(line))
	if strings.TrimSpace(s) == "" {
		return
	}
	o.remember(s)
	fmt.Fprintln(o.tty, s)
	o.logText("out", shipdir.Cut(s, maxLine))
}

// takeEvent handles one event.
func (o *output) takeEvent(e agentlog.Event) {
	if e.Session != "" && len(e.Session) <= 200 {
		o.session = clean.Text(e.Session)
	}
	if o.used != nil {
		o.used(e)
	}
	if e.Failed != "" {
		o.failed = clean.Text(e.Failed)
	}
	if e.Kind == "" {
		return
	}
	o.count(e.Kind)
	if e.Part {
		if o.parts.Len()+len(e.Text) > maxMessage {
			o.flushParts()
		}
		o.parts.WriteString(e.Text)
		return
	}
	o.flushParts()
	o.showText(e.Kind, clean.Text(e.Text))
}

// count counts the model's answers. After a result or an error, the next thing that the model says or does is a new
// answer.
func (o *output) count(kind string) {
	switch kind {
	case "result", "error":
		o.heard = true
	case "say", "tool":
		if o.heard && o.next != nil {
			o.turn = o.next()
		}
		o.heard = false
	}
}

// flushParts shows a text once all its pieces have arrived.
func (o *output) flushParts() {
	if o.parts.Len() > 0 {
		text := o.parts.String()
		o.parts.Reset()
		o.showText("say", clean.Text(text))
	}
}

// showText writes a text to the terminal: the agent's own words in full, and results of tools shortened.
func (o *output) showText(kind, text string) {
	text = strings.TrimRight(text, " \t\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	switch kind {
	case "say":
		o.said = text
		fmt.Fprintln(o.tty, text)
		o.logText(kind, text)
	case "tool":
		fmt.Fprintln(o.tty, "▸ "+firstLines(text, 3))
		o.logText(kind, firstLines(text, 1))
	case "result":
		fmt.Fprintln(o.tty, indent(firstLines(text, maxResult)))
		o.logText(kind, firstLines(text, 3))
	case "error":
		fmt.Fprintln(o.tty, indent("error: "+firstLines(text, maxResult)))
		o.logText(kind, firstLines(text, maxResult))
		o.remember(text)
	default:
		fmt.Fprintln(o.tty, indent(firstLines(text, maxResult)))
		o.logText(kind, firstLines(text, 3))
	}
}

// logText writes to the ship's log, until its limit is reached.
func (o *output) logText(kind, text string) {
	o.logged++
	switch {
	case o.logged < maxLogged:
	case o.logged == maxLogged:
		kind, text = "note", fmt.Sprintf("more than %d lines in one turn: the rest is not logged", maxLogged)
	default:
		return
	}
	if o.book != nil {
		o.book.Add(proto.KindLog, proto.Log{Text: o.book.Clean(text, 4<<10), Kind: kind, Turn: o.turn})
	}
}

// remember keeps the last lines, for an error.
func (o *output) remember(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			o.last = append(o.last, shipdir.Cut(line, 300))
		}
	}
	if n := len(o.last) - keptLines; n > 0 {
		o.last = append([]string(nil), o.last[n:]...)
	}
}

// stderr returns a writer for standard error, which is plain text whatever the agent prints otherwise.
func (o *output) stderr() *errorOutput {
	e := &errorOutput{o: o}
	e.line.emit = func(line []byte, _ bool) { o.takeText(line) }
	return e
}

// errorOutput handles the standard error of a turn.
type errorOutput struct {
	o    *output
	line splitter
}

func (e *errorOutput) Write(p []byte) (int, error) {
	e.o.mu.Lock()
	defer e.o.mu.Unlock()
	e.line.write(p)
	return len(p), nil
}

func (e *errorOutput) flush() {
	e.o.mu.Lock()
	defer e.o.mu.Unlock()
	e.line.flush()
}

// firstLines returns the first n lines, and says how many were cut.
func firstLines(s string, n int) string {
	s = strings.TrimSpace(s)
	lines := strings.Split(s, "\n")
	if len(lines) > n {
		return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n… %d more lines", len(lines)-n)
	}
	return s
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

// splitter cuts a stream into lines of limited length.
type splitter struct {
	emit func(line []byte, whole bool)
	part []byte
	over bool // the line is longer than the part of it that is kept
}

func (s *splitter) write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		room := maxRecord - len(s.part)
		if len(piece) > room {
			piece, s.over = piece[:room], true
		}
		s.part = append(s.part, piece...)
		if end < 0 {
			return
		}
		s.flush()
		p = p[end+1:]
	}
}

// flush handles a line that has no newline.
func (s *splitter) flush() {
	if len(s.part) > 0 {
		line := bytes.TrimRight(s.part, "\r")
		if s.over {
			line = line[:min(len(line), maxLine)] // a cut line is no valid JSON
		}
		s.emit(line, !s.over)
	}
	s.part, s.over = s.part[:0], false
}
