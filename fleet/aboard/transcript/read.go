package transcript

import (
	"io"
	"os"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/proto"
)

// passBytes bounds how much one pass reads, so that other work gets its turn.
const passBytes = 16 << 20

// pass reads new lines from the files of the ship's sessions, and reports whether there are more.
func (t *tail) pass() (more bool) {
	t.session()
	budget := int64(passBytes)
	for _, session := range t.state.Sessions {
		for _, path := range t.from.Files(string(t.home), session) {
			n, rest := t.read(path, budget)
			budget -= n
			more = more || rest
		}
	}
	moved := budget < passBytes
	if cost := Cost(t.home); cost > t.state.Usage.CostUSD {
		t.state.Usage.CostUSD, moved = cost, true
	}
	t.state.Usage.Conversation = Conversation(t.home)
	if moved {
		t.save()
	}
	return more
}

// read reads new lines from a file, at most that many bytes. It returns how many bytes it read and whether there are
// more.
func (t *tail) read(path string, most int64) (n int64, more bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	at := t.state.Files[path]
	if at.Inode != inode(info) || info.Size() < at.Offset {
		at = place{Inode: inode(info)} // the file was replaced or cut
		delete(t.readers, path)
	}
	if info.Size() == at.Offset {
		return 0, false
	}
	more = info.Size()-at.Offset > most
	n = t.lines(path, at.Offset, most, t.take)
	at.Offset += n
	t.state.Files[path] = at
	return n, more
}

// recall reads again what was read before the runner was started, so that copies of it are recognised.
func (t *tail) recall() {
	for path, at := range t.state.Files {
		info, err := os.Stat(path)
		if err != nil || inode(info) != at.Inode || info.Size() < at.Offset {
			delete(t.state.Files, path)
			continue
		}
		t.lines(path, 0, at.Offset, func(s agentlog.Step) {
			if s.Message != "" {
				t.new(s.Message)
			}
			for _, e := range s.Entries {
				t.new(e.Key)
			}
		})
	}
}

// lines reads a part of a file line by line and returns how many bytes it read.
func (t *tail) lines(path string, from, most int64, take func(agentlog.Step)) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	read := t.readers[path]
	if read == nil {
		read = t.from.Reader(t.workspace)
		t.readers[path] = read
	}
	n, _ := agentlog.ReadLines(io.NewSectionReader(f, from, most), func(line []byte) { take(read(line)) })
	return n
}

// take counts and logs the content of a line, unless that was seen before.
func (t *tail) take(s agentlog.Step) {
	t.over = t.over || s.Over && !s.Sub
	if s.Message != "" {
		t.count(s)
	}
	for _, e := range s.Entries {
		if !t.new(e.Key) {
			continue
		}
		if !t.ration.Allow() {
			t.left++
			continue
		}
		text := e.Text
		if s.Sub {
			text = "subagent: " + text
		}
		t.book.Add(proto.KindLog, proto.Log{Text: t.book.Clean(text, 4<<10), Kind: e.Kind, Turn: t.state.Usage.Turn})
	}
}

// count counts the tokens of an answer once. An answer has several lines, each with its usage; if they differ, the
// last one is right.
func (t *tail) count(s agentlog.Step) {
	u := &t.state.Usage
	if t.new(s.Message) {
		u.Messages++
		if !s.Sub {
			u.Turn++
		}
		a := answer{s.Message, t.model(s.Model), s.Tokens}
		u.Models[a.Model] = u.Models[a.Model].Add(a.Tokens)
		t.state.Answers = append(t.state.Answers, a)
		t.state.Answers = t.state.Answers[max(0, len(t.state.Answers)-maxAnswers):]
		return
	}
	for i := range t.state.Answers {
		if a := &t.state.Answers[i]; a.ID == s.Message && a.Tokens != s.Tokens {
			u.Models[a.Model] = u.Models[a.Model].Add(s.Tokens).Sub(a.Tokens)
			a.Tokens = s.Tokens
		}
	}
}

// model returns the name under which a model's tokens are counted. If there are too many models, the rest share one
// name.
func (t *tail) model(name string) string {
	if _, known := t.state.Usage.Models[name]; !known && len(t.state.Usage.Models) >= maxModels-1 {
		return "others"
	}
	return name
}
