package exedevtest

import "sync"

// Faults are the faults of a stand-in, by the command in which they occur.
type Faults struct {
	mu       sync.Mutex
	next     map[string][]Fault
	misdeeds map[misdeed]int
}

// Misbehave makes the next commands of that name fail, one for each fault.
func (f *Faults) Misbehave(command string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next[command] = append(f.next[command], faults...)
}

// Forgive cancels all faults that have not occurred yet.
func (f *Faults) Forgive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.next)
}

// fault returns the next fault of a command and removes it.
func (f *Faults) fault(command string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.next[command]
	if len(all) == 0 {
		return 0, false
	}
	f.next[command] = all[1:]
	f.misdeeds[misdeed{command, all[0]}]++
	return all[0], true
}

// misdeed is a fault that has occurred in a command.
type misdeed struct {
	command string
	fault   Fault
}

// Misdeeds returns how often a fault has occurred in commands of a name.
func (f *Faults) Misdeeds(command string, fault Fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.misdeeds[misdeed{command, fault}]
}
