package exedev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ocaptain/fleet/provider"
)

// listing is one request for all machines. While it waits for its turn at the lobby, all callers share it, so that
// many machines that come up at once need as many requests as one.
type listing struct {
	done    chan struct{} // closed when the answer is there
	found   map[string]vm // must not be changed
	err     error
	waiting int // number of callers that wait for the answer; guarded by lobby.mu
	stop    context.CancelFunc
}

// list returns all current machines of the account, by their names there.
func (l *lobby) list(ctx context.Context) (map[string]vm, error) {
	l.mu.Lock()
	shared := l.listing
	if shared == nil {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		shared = &listing{done: make(chan struct{}), stop: stop}
		l.listing = shared
		go l.answer(own, shared)
	}
	shared.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if shared.waiting--; shared.waiting == 0 {
			shared.stop() // no caller waits any longer
			l.listingBegun(shared)
		}
	}()
	select {
	case <-shared.done:
		return shared.found, shared.err
	case <-ctx.Done():
		return nil, brokenError("ls", ctx.Err())
	}
}

// listingBegun makes later callers use another listing. The caller holds l.mu.
func (l *lobby) listingBegun(begun *listing) {
	if l.listing == begun {
		l.listing = nil
	}
}

// answer asks the lobby.
func (l *lobby) answer(ctx context.Context, to *listing) {
	defer close(to.done)
	out, err := l.againThen(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listingBegun(to)
	}, "ls", "--json")
	if err != nil {
		to.err = err
		return
	}
	if to.found, to.err = machines(out); to.err != nil {
		to.err = &provider.Temporary{Err: to.err}
	}
}

// machines decodes a list. It returns an error for any other answer, since that does not show which machines exist.
func machines(out []byte) (map[string]vm, error) {
	out = bytes.TrimSpace(out)
	if bytes.HasPrefix(out, []byte("No VMs found")) {
		return nil, nil
	}
	if len(out) == 0 {
		return nil, errors.New("exe.dev: ls: an empty answer")
	}
	var all struct {
		VMs json.RawMessage `json:"vms"` // null for an empty list
	}
	if err := decode(out, &all); err != nil {
		return nil, err
	}
	var list []vm
	if err := json.Unmarshal(all.VMs, &list); err != nil {
		return nil, noList(out)
	}
	found := map[string]vm{}
	for _, v := range list {
		if v.Name == "" {
			return nil, noList(out)
		}
		found[v.Name] = v
	}
	return found, nil
}

func noList(out []byte) error {
	return fmt.Errorf("exe.dev: ls: an answer that is no list of machines: %s", shortLine(out))
}
