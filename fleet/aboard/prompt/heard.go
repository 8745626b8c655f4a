package prompt

import "ocaptain/fleet/aboard/shipdir"

// listen returns a channel that receives the agent's report of a prompt with that sum.
func (t *Typist) listen(sum string) chan shipdir.Heard {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := make(chan shipdir.Heard, 1)
	t.listeners[c] = sum
	return c
}

func (t *Typist) forget(c chan shipdir.Heard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.listeners, c)
}

// Hear passes on a hook's report that the agent got a prompt.
func (t *Typist) Hear(h shipdir.Heard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c, want := range t.listeners {
		if want == h.Sum {
			c <- h
			delete(t.listeners, c)
		}
	}
}
