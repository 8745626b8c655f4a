package transcript

import (
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strings"
	"syscall"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// tailState is the file in which a tail records how far it has read. It is written after the journal, so if the
// runner is killed in between, a few lines are logged again. Tokens are still counted once, since the totals are in
// this file.
type tailState struct {
	Sessions []string         `json:"sessions"` // of the ship, the newest last
	Files    map[string]place `json:"files"`    // by path
	Usage    proto.Usage      `json:"usage"`
	Answers  []answer         `json:"answers"` // the newest answers, whose usage may still change
}

// place says how far a file was read.
type place struct {
	Inode  uint64 `json:"inode"` // to notice when another file takes its name
	Offset int64  `json:"offset"`
}

// answer is an answer of the model whose tokens were counted.
type answer struct {
	ID     string          `json:"id"`
	Model  string          `json:"model"`
	Tokens agentlog.Tokens `json:"tokens"`
}

// Limits of what a tail remembers.
const (
	maxSessions = 10
	maxAnswers  = 100
	maxModels   = 32
	maxSeen     = 1 << 18 // hashes in each of the two halves
)

// load reads the state. A missing or damaged state counts as empty: the tail then reads, logs and
// counts everything again.
func (t *tail) load() {
	_ = os.MkdirAll(t.home.Usage(""), 0o700)
	if shipdir.ReadJSON(t.home.Usage("transcript.json"), &t.state) != nil {
		t.state = tailState{}
	}
	if t.state.Files == nil {
		t.state.Files = map[string]place{}
	}
	if t.state.Usage.Models == nil {
		t.state.Usage.Models = map[string]agentlog.Tokens{}
	}
}

func (t *tail) save() {
	if err := shipdir.WriteJSON(t.home.Usage("transcript.json"), t.state); err != nil {
		t.book.Log("error", "how far the agent's transcripts are read could not be written: "+err.Error(), "")
	}
}

// session records which session the agent is in.
func (t *tail) session() {
	raw, _ := os.ReadFile(t.home.Session())
	id := strings.TrimSpace(string(raw))
	if id == "" || len(id) > 100 || slices.Contains(t.state.Sessions, id) {
		return
	}
	t.state.Sessions = append(t.state.Sessions, id)
	t.state.Sessions = t.state.Sessions[max(0, len(t.state.Sessions)-maxSessions):]
}

// new reports whether name was not seen before, and remembers it. When the memory is full, it forgets the older half.
func (t *tail) new(name string) bool {
	sum := maphash.String(t.seed, name)
	for _, g := range t.seen {
		if _, ok := g[sum]; ok {
			return false
		}
	}
	if t.seen[0] == nil || len(t.seen[0]) >= maxSeen {
		t.seen = [2]map[uint64]struct{}{{}, t.seen[0]}
	}
	t.seen[0][sum] = struct{}{}
	return true
}

// inode returns the number that identifies a file whatever its path.
func inode(info os.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

// How many entries of transcripts are logged: a burst, and then so many a second, which is far more than an agent
// makes.
const (
	rationSize = 2000
	rationRate = 50 // per second
)

// leftOut returns a text that says how many entries were not logged.
func leftOut(n int) string {
	return fmt.Sprintf("%d lines of the agent's transcript came too fast and were not logged", n)
}
