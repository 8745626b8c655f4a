package access

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ocaptain/fleet/provider"
)

// narrow is a provider that makes at most two machines at the same time.
type narrow struct {
	provider.Provider
	create func(context.Context, provider.Spec) (provider.Machine, error)
}

func (narrow) Limits() provider.Limits { return provider.Limits{Parallel: 2} }

func (n narrow) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	return n.create(ctx, spec)
}

// TestTurns checks that no more machines are made at the same time than a provider allows, and that nothing else has
// to wait.
func TestTurns(t *testing.T) { synctest.Test(t, makeInTurn) }

func makeInTurn(t *testing.T) {
	var under atomic.Int64
	next := make(chan struct{})
	p := narrow{create: func(context.Context, provider.Spec) (provider.Machine, error) {
		under.Add(1)
		<-next
		under.Add(-1)
		return provider.Machine{}, nil
	}}
	a := &Access{Providers: map[string]provider.Provider{"hosts": p}}
	a.creates = roomFor(a.Providers)
	const all = 50
	for range all {
		go func() {
			if _, err := a.Provider("hosts").Create(context.Background(), provider.Spec{}); err != nil {
				t.Error(err)
			}
		}()
	}
	for made := range all {
		synctest.Wait()
		if n := under.Load(); n != min(2, all-int64(made)) {
			t.Errorf("%d at once, with %d made", n, made)
		}
		next <- struct{}{}
	}
	synctest.Wait()
	a.creates["hosts"] <- struct{}{}
	a.creates["hosts"] <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Provider("hosts").Create(ctx, provider.Spec{}); !errors.Is(err, context.Canceled) {
		t.Errorf("one that is given up while it waits: %v", err)
	}
}
