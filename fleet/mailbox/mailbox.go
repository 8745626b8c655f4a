// Package mailbox stores messages to an agent on disk until they have arrived. Helm has one mailbox for each ship in
// the voyage's directory, and each ship has a mailbox of its own. Every message is a file, so it survives kill -9. A
// mailbox remembers the ids of removed messages, so that no message is added twice.
package mailbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/sync/whole"
)

// Limits of a mailbox.
const (
	MaxText = 64 << 10 // bytes of a message
	Most    = 200      // waiting messages
	recall  = 500      // ids of removed messages that are remembered
)

// Message is a message of the captain or of helm to an agent.
type Message struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"` // when it was sent
	Text    string    `json:"text"`
	Command bool      `json:"command,omitempty"` // a leading /, ! or # makes it a command of the agent

	// Claim is the claim that the message is about; it is zero for a message of the captain.
	Claim proto.Claim `json:"claim,omitzero"`
}

// Box is a mailbox: a directory of messages, in the order in which they were added.
type Box struct {
	dir string

	mu      sync.Mutex
	waiting []entry
	done    []string // ids of removed messages, the newest last
	changed chan struct{}
}

type entry struct {
	number int64
	id     string
}

// ErrFull means that too many messages are waiting.
var ErrFull = fmt.Errorf("%d messages wait already: interrupt the agent, or wait until it has read some", Most)

// Open opens the mailbox in a directory, which is made when the first message is added. It removes unfinished files
// that a crash left behind.
func Open(dir string) (*Box, error) {
	b := &Box{dir: dir, changed: make(chan struct{})}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("messages: %w", err)
	}
	raw, err := os.ReadFile(b.doneFile())
	if err == nil {
		b.done = strings.Fields(string(raw))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("messages: %w", err)
	}
	for _, f := range entries {
		number, id, ok := parse(f.Name())
		if !ok {
			continue
		}
		if slices.Contains(b.done, id) { // a crash interrupted Remove, or another process is in the middle of it
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("messages: %w", err)
			}
			continue
		}
		b.waiting = append(b.waiting, entry{number, id})
	}
	slices.SortFunc(b.waiting, func(x, y entry) int { return int(max(-1, min(1, x.number-y.number))) })
	return b, nil
}

// Add adds a message at the end. When it returns nil, the message is on disk. If a message with this id is or was in
// the mailbox, Add does nothing.
func (b *Box) Add(m Message) error {
	if !ValidID(m.ID) {
		return fmt.Errorf("a message cannot have the id %.40q", m.ID)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hasLocked(m.ID) || slices.Contains(b.done, m.ID) {
		return nil
	}
	if len(b.waiting) >= Most {
		return ErrFull
	}
	e := entry{1, m.ID}
	if n := len(b.waiting); n > 0 {
		e.number = b.waiting[n-1].number + 1
	}
	raw, err := json.Marshal(m)
	if err == nil {
		err = whole.MakeDir(b.dir, 1, 0o700)
	}
	if err == nil {
		err = whole.Write(b.fileOf(e), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the message: %w", err)
	}
	b.waiting = append(b.waiting, e)
	b.wakeLocked()
	return nil
}

// NextMessage returns the next message, and false if there is none. It drops a message whose file is damaged or gone.
// An error means that the message cannot be read now, but perhaps later; m has only its ID then.
func (b *Box) NextMessage() (m Message, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.readableLocked(1)
	if err != nil {
		return Message{ID: b.waiting[0].id}, false, fmt.Errorf("the message cannot be read: %w", err)
	}
	if len(all) == 0 {
		return Message{}, false, nil
	}
	return all[0], true, nil
}

// All returns the waiting messages, the next one first. It stops before a message that cannot be read now, to keep
// the order. It drops messages whose file is damaged or gone.
func (b *Box) All() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, _ := b.readableLocked(len(b.waiting))
	return all
}

// readableLocked reads at most that many messages, and drops messages that can never be read. The caller holds the lock.
func (b *Box) readableLocked(most int) (all []Message, err error) {
	for len(all) < min(most, len(b.waiting)) {
		e := b.waiting[len(all)]
		m, err := b.readLocked(e)
		switch {
		case err == nil:
			all = append(all, m)
		case errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist):
			_ = os.Remove(b.fileOf(e))
			b.waiting = slices.Delete(b.waiting, len(all), len(all)+1)
			b.wakeLocked()
		default: // such an error may pass, as with too many open files
			return all, err
		}
	}
	return all, nil
}

// Remove removes a message. When it returns nil, the same message will not be added again.
func (b *Box) Remove(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.done, id) {
		done := append(slices.Clone(b.done), id)
		done = done[max(0, len(done)-recall):]
		err := whole.MakeDir(b.dir, 1, 0o700)
		if err == nil {
			err = whole.Write(b.doneFile(), []byte(strings.Join(done, "\n")+"\n"), 0o600)
		}
		if err != nil {
			return fmt.Errorf("note that the message arrived: %w", err)
		}
		b.done = done
	}
	for i, e := range b.waiting {
		if e.id == id {
			b.waiting = slices.Delete(b.waiting, i, i+1)
			b.wakeLocked()
			_ = os.Remove(b.fileOf(e)) // otherwise Open removes it
			break
		}
	}
	return nil
}

// WasDone reports whether a message was in the mailbox and has been removed.
func (b *Box) WasDone(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.done, id)
}

// Has reports whether a message is waiting.
func (b *Box) Has(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hasLocked(id)
}

// Len returns the number of waiting messages.
func (b *Box) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Changed returns a channel that is closed when a message is added or removed.
func (b *Box) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *Box) wakeLocked() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Box) hasLocked(id string) bool {
	return slices.ContainsFunc(b.waiting, func(e entry) bool { return e.id == id })
}

func (b *Box) readLocked(e entry) (m Message, err error) {
	raw, err := os.ReadFile(b.fileOf(e))
	if err != nil {
		return m, err
	}
	if json.Unmarshal(raw, &m) != nil || m.ID != e.id {
		return m, errDamaged
	}
	return m, nil
}

// errDamaged means that a file holds no message, or another one.
var errDamaged = errors.New("it is damaged")

func (b *Box) doneFile() string { return filepath.Join(b.dir, "done") }

func (b *Box) fileOf(e entry) string {
	return filepath.Join(b.dir, fmt.Sprintf("%012d-%s.json", e.number, e.id))
}

func parse(name string) (number int64, id string, ok bool) {
	digits, rest, _ := strings.Cut(name, "-")
	id, ok = strings.CutSuffix(rest, ".json")
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, id, ok && err == nil && ValidID(id)
}

// ValidID reports whether id can be a message's id: 8 to 64 letters, digits and dashes.
func ValidID(id string) bool {
	return len(id) >= 8 && len(id) <= 64 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}
