package exedev

import (
	"bytes"
	"context"
)

// listing is one question for all machines. It answers everybody who wants to know while it waits
// for its turn at the lobby: many machines that come up at once ask as often as one.
type listing struct {
	done    chan struct{} // closed when there is an answer
	found   map[string]vm // not to be changed
	err     error
	waiting int // who wants the answer; guarded by Provider.mu
	stop    context.CancelFunc
}

// list returns all machines of the account as they are now, by their names there.
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
			l.stop() // nobody wants to know any more
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

// listingBegun has those who ask from now on not get the answer of a listing. The caller holds p.mu.
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
	l.found, l.err = machines(out)
}

// machines reads a list.
func machines(out []byte) (map[string]vm, error) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 || bytes.HasPrefix(out, []byte("No VMs found")) {
		return nil, nil
	}
	var all struct {
		VMs []vm `json:"vms"`
	}
	if err := decode(out, &all); err != nil {
		return nil, err
	}
	found := map[string]vm{}
	for _, v := range all.VMs {
		found[v.Name] = v
	}
	return found, nil
}
