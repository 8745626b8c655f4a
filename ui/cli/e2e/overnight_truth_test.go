package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
)

// truthful compares the board's status of each ship with what the service and the processes know, five times a
// second.
type truthful struct {
	c    *captain
	d    fleet.Dir
	n    *night
	over func() // ends the comparison

	mu    sync.Mutex
	looks int
	wrong map[string]time.Time // by ship and lie, since when the lie has lasted
	lies  map[string]string    // by ship and lie, the lies that lasted too long
	pids  map[string]int       // process ids of the agents, by machine
}

// slack is how long the board may be out of date.
const slack = 2 * time.Second

func watchTruth(c *captain, d fleet.Dir, n *night) *truthful {
	stop, done := make(chan struct{}), make(chan struct{})
	r := &truthful{
		c: c, d: d, n: n, over: sync.OnceFunc(func() { close(stop); <-done }),
		wrong: map[string]time.Time{}, lies: map[string]string{}, pids: map[string]int{},
	}
	c.Cleanup(r.over) // also when the test fails
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.look(time.Now())
			case <-stop:
				return
			}
		}
	}()
	return r
}

// end stops the comparison and returns the number of samples and the lies.
func (r *truthful) end() (looks int, lies []string) {
	r.over()
	for _, l := range r.lies {
		lies = append(lies, l)
	}
	return r.looks, lies
}

// look takes one sample.
func (r *truthful) look(now time.Time) {
	b, err := fleet.LoadBoard(r.d)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looks++
	for _, s := range b.Ships {
		if s.Phase != fleet.Afloat {
			continue
		}
		f := r.n.fact(s.Name)
		word := s.Status.Word
		settled := now.Sub(f.since) > slack
		// The service may not have got the messages since then.
		told := s.Status.Since.After(f.since) && now.Sub(s.Status.Since) < 5*slack
		for lie, is := range map[string]bool{
			"working, but its agent is dead":         word == fleet.Working && !r.alive(s.Machine.Name),
			"working, but its turn is over":          word == fleet.Working && f.over && settled && !told && !f.since.IsZero(),
			"idle or done, but the model is at work": (word == fleet.Idle || word == fleet.Done) && !f.over && !f.failed && settled && !f.since.IsZero(),
		} {
			key := s.Name + ": " + lie
			switch since, held := r.wrong[key]; {
			case !is:
				delete(r.wrong, key)
			case !held:
				r.wrong[key] = now
			case now.Sub(since) > slack:
				r.lies[key] = fmt.Sprintf("%s said %q (%s, %s) from %s on: %s", s.Name, word, s.Status.Reason, s.Status.Source, since.Format("15:04:05.0"), lie)
			}
		}
	}
}

// claudeOf returns the process id of a ship's Claude Code, or 0. The process id that the ship knows means nothing
// outside its sandbox.
func (c *captain) claudeOf(machine string) int {
	return c.processOf(machine, " claude --dangerously-skip-permissions")
}

// serverOf returns the process id of a ship's SSH server, or 0.
func (c *captain) serverOf(machine string) int { return c.processOf(machine, " aboard sshd ") }

// processOf returns the last process of a ship whose command line contains some words, or 0.
func (c *captain) processOf(machine, words string) (pid int) {
	return lastProcess(filepath.Join(c.hub.State, "ships", machine), words)
}

// lastProcess returns the last process of a ship, below a directory, whose command line contains some words, or 0: the processes before it
// are the sandbox around it.
func lastProcess(dir, words string) (pid int) {
	for _, p := range proctest.With(dir) {
		if strings.Contains(p+" ", words) {
			_, _ = fmt.Sscan(p, &pid)
		}
	}
	return pid
}

// pidOf remembers the process id of each agent, as searching all processes is slow.
func (r *truthful) pidOf(machine string) int {
	if pid := r.pids[machine]; pid != 0 && syscall.Kill(pid, 0) == nil {
		return pid
	}
	return r.c.claudeOf(machine)
}

func (r *truthful) alive(machine string) bool {
	r.pids[machine] = r.pidOf(machine)
	return r.pids[machine] != 0
}
