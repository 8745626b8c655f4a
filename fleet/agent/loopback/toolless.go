package loopback

import "sync"

// toolless answers requests without tools, which are those for titles and summaries, and probes.
type toolless struct {
	mu    sync.Mutex
	brain Brain
}

// Toolless makes a brain answer requests without tools. Without it, they get a title.
func (a *API) Toolless(b Brain) {
	a.bare.mu.Lock()
	defer a.bare.mu.Unlock()
	a.bare.brain = b
}

func (t *toolless) answer(r Request) Reply {
	t.mu.Lock()
	brain := t.brain
	t.mu.Unlock()
	if brain == nil {
		return Say(`{"title": "Work on the tasks"}`)
	}
	return brain(r)
}
