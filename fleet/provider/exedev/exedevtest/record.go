package exedevtest

import (
	"sync"
	"time"
)

// Record is what a stand-in has heard and done.
type Record struct {
	mu   sync.Mutex
	said []string        // every command, request line and header received
	work map[string]Work // by name of the command
}

// Said returns what was received: commands, and the first lines of requests.
func (r *Record) Said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.said...)
}

func (r *Record) heard(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, line)
}

// Work says how many commands of a name the lobby has executed, and how long that took in all, including latency. A
// machine is made before "new" ends.
type Work struct {
	Commands int
	Took     time.Duration
}

// Sub returns w minus before.
func (w Work) Sub(before Work) Work {
	return Work{w.Commands - before.Commands, w.Took - before.Took}
}

// Each returns the average duration of a command.
func (w Work) Each() time.Duration {
	if w.Commands == 0 {
		return 0
	}
	return w.Took / time.Duration(w.Commands)
}

// Work returns the work so far on commands of a name.
func (r *Record) Work(command string) Work {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.work[command]
}

func (r *Record) worked(command string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.work[command]
	r.work[command] = Work{w.Commands + 1, w.Took + d}
}
