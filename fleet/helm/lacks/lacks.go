// Package lacks tells the captain which of his programs the ships on this machine do not see.
package lacks

import (
	"fmt"
	"strings"
	"sync"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/notes"
	"ocaptain/tasks/pattern"
)

// most bounds the programs that are looked for on one voyage: ships name them.
const most = 100

// missing is what shells say of a program that they do not find.
var missing = pattern.New(`(?m)(?:^|[: ])(\w[\w.+-]{0,63}): (?:command )?not found\s*$|command not found: (\w[\w.+-]{0,63})\s*$`)

// Options say what a Lacks uses.
type Options struct {
	Here   access.Shower // the provider of ships on this machine, nil if those see all of it
	Config string        // the file in which the captain shows more to ships
	Notes  *notes.Notes
	Go     func(func()) // runs a goroutine that helm waits for
}

// Lacks knows which programs the ships of a voyage did not find. Its methods are safe for concurrent use.
type Lacks struct {
	o Options

	mu    sync.Mutex
	known map[string]bool // programs
}

// New returns a Lacks that knows of no program.
func New(o Options) *Lacks { return &Lacks{o: o, known: map[string]bool{}} }

// Look looks for programs that a ship on this machine did not find in what it said. It tells the captain, once for each program, how the ship
// gets a program that he has. It does not wait for the disk.
func (l *Lacks) Look(ship, said string) {
	if l.o.Here == nil || !strings.Contains(said, "not found") {
		return
	}
	for _, m := range missing().FindAllStringSubmatch(said, most) {
		if program := m[1] + m[2]; l.isNew(program) {
			l.o.Go(func() { l.tell(ship, program) })
		}
	}
}

// isNew reports whether a program is named for the first time.
func (l *Lacks) isNew(program string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) == most || l.known[program] {
		return false
	}
	l.known[program] = true
	return true
}

func (l *Lacks) tell(ship, program string) {
	dirs, err := l.o.Here.Unshown(program)
	if err != nil || len(dirs) == 0 {
		return
	}
	l.o.Notes.Add(fleet.Note{Ship: ship, Text: fmt.Sprintf("it does not see %s, which you have: local.bind with %s in %s shows it to ships made from then on",
		program, strings.Join(dirs, " and "), l.o.Config)})
}
