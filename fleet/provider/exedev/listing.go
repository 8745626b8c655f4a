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
	waiting int // number of callers that wait for the answer; guarded by Provider.mu
	stop    context.CancelFunc
}

// list returns all current machines of the account, by their names there.
func (p *Provider) list(ctx context.Context) (map[string]vm, error) {
	p.mu.Lock()
	l := p.listing
	if l == nil {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		l = &listing{done: make(chan struct{}), stop: stop}
		p.listing = l
		go p.answer(own, l)
	}
	l.waiting++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.waiting--; l.waiting == 0 {
			l.stop() // no caller waits any longer
			p.listingBegun(l)
		}
	}()
	select {
	case <-l.done:
		return l.found, l.err
	case <-ctx.Done():
		return nil, brokenError("ls", ctx.Err())
	}
}

// listingBegun makes later callers use another listing. The caller holds p.mu.
func (p *Provider) listingBegun(l *listing) {
	if p.listing == l {
		p.listing = nil
	}
}

// answer asks the lobby.
func (p *Provider) answer(ctx context.Context, l *listing) {
	defer close(l.done)
	out, err := p.againThen(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.listingBegun(l)
	}, "ls", "--json")
	if err != nil {
		l.err = err
		return
	}
	if l.found, l.err = machines(out); l.err != nil {
		l.err = &provider.Temporary{Err: l.err}
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
