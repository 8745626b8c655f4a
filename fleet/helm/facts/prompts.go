package facts

import "time"

// Prompts counts how often in a row an agent has ignored what helm told it.
type Prompts struct {
	Woken     time.Time // when helm last woke the agent from its rest
	LeftAlone bool      // helm no longer sends the agent back to its task

	task  string // the task to which helm sends the agent back, and how often it has done so
	back  int
	told  int       // how often helm told the agent of ready tasks without a claim after it
	After time.Time // helm does not tell the agent of ready tasks before this time
}

// MaxPrompts is how often helm sends an agent back to the task that it holds, or tells it of ready tasks. After that helm leaves the agent
// alone, as it may wait for a person, or tells it less and less often.
const MaxPrompts = 3

// SendBack records that the agent has ended its turn and still holds a task. again says that helm sends it back to the task. left says
// that helm leaves it alone from now on.
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

// Tell records that there are ready tasks for the agent. It returns how long helm does not tell the agent of them; meanwhile other ships
// may claim them. ignored says that a new such pause begins.
func (p *Prompts) Tell(now time.Time) (wait time.Duration, ignored bool) {
	if wait := p.After.Sub(now); wait > 0 {
		return wait, false
	}
	if p.told++; p.told <= MaxPrompts {
		return 0, false
	}
	if p.told > MaxPrompts+1 { // the pause is over
		p.After = now.Add(PauseAfter(p.told-MaxPrompts, 0.5))
		return 0, false
	}
	p.After = now.Add(PauseAfter(0, 0.5))
	return p.After.Sub(now), true
}

// Ignored returns how often helm named ready tasks and the agent claimed none, 0 while the agent still has time to.
func (p *Prompts) Ignored() int {
	if p.told > MaxPrompts {
		return MaxPrompts
	}
	return 0
}

// Forgive resets all counts: the agent has tried to claim, or the captain has spoken to it.
func (p *Prompts) Forgive() { *p = Prompts{Woken: p.Woken} }
