package facts

import "time"

// Prompts counts how often in a row an agent did not do what it was told.
type Prompts struct {
	Woken     time.Time // when it was last woken from rest
	LeftAlone bool      // it is not sent back to its task any more

	task  string // that it was sent back to, and how often
	back  int
	told  int       // how often it was told of ready tasks and did not try to claim one
	After time.Time // before which it is not told of ready tasks again
}

// MaxPrompts is how often an agent is sent back to the task it holds, or told of ready tasks, before it is left alone, as it may wait for a
// person, or is told less and less often.
const MaxPrompts = 3

// SendBack takes in that the agent ended its turn with its task undone. It reports whether the agent is sent back to the task, and when it
// is not, whether it is left alone from now on.
func (p *Prompts) SendBack(task string) (again, left bool) {
	if p.task != task {
		p.task, p.back, p.LeftAlone = task, 0, false
	}
	if p.back < MaxPrompts {
		p.back++
		return true, false
	}
	left, p.LeftAlone = !p.LeftAlone, true
	return false, left
}

// Tell takes in that there are ready tasks for the agent. It returns how long the agent is not told of them, and whether it has just been
// told for the last time before that. Others may have the tasks meanwhile.
func (p *Prompts) Tell(now time.Time) (wait time.Duration, ignored bool) {
	if wait := p.After.Sub(now); wait > 0 {
		return wait, false
	}
	if p.told++; p.told <= MaxPrompts {
		return 0, false
	}
	if p.told > MaxPrompts+1 { // a pause is over
		p.After = now.Add(PauseAfter(p.told-MaxPrompts, 0.5))
		return 0, false
	}
	p.After = now.Add(PauseAfter(0, 0.5))
	return p.After.Sub(now), true
}

// Ignored is how often the agent was told of ready tasks and claimed none, 0 while it may still.
func (p *Prompts) Ignored() int {
	if p.told > MaxPrompts {
		return MaxPrompts
	}
	return 0
}

// Forgive forgets what the agent did not do: it tries, or the captain has spoken to it.
func (p *Prompts) Forgive() { *p = Prompts{Woken: p.Woken} }
