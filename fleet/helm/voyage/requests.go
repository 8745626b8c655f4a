package voyage

import (
	"context"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
)

// newReview returns the Review of the voyage.
func newReview(v *Voyage) *review.Review {
	return review.New(review.Options{
		Core: v.Core, Claims: v.claims, Verifier: v.Verifier, OwnFiles: v.issues.OwnFiles,
		Hubs: review.Hubs{MayReview: v.Sharing.MayReview, Take: v.Sharing.Take, Get: v.Sharing.Get, Once: v.Sharing.Once, Record: v.Sharing.Record},
	})
}

// request returns a handler that has fn carry out what a ship asks.
func request[A, B any](s *ship.Ship, fn func(context.Context, *ship.Ship, A) (B, error)) wire.Handler {
	return wire.Handle(func(ctx context.Context, ask A) (B, error) { return fn(ctx, s, ask) })
}

// grantClaim grants a task that the ship was given.
func (s *Ship) grantClaim(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	return s.claim(ctx, s.v.Requests.Grant, r)
}

// claim has fn claim a task. Helm names ready tasks again to an agent that tries.
func (s *Ship) claim(ctx context.Context, fn func(context.Context, *ship.Ship, proto.ClaimRequest) (proto.Grant, error), r proto.ClaimRequest) (proto.Grant, error) {
	v := s.v
	changes(v, s.forgive)
	g, err := fn(ctx, s.Ship, r)
	if err == nil && !g.Again && v.Kind.Gives() {
		v.Dispatcher.Watch.Change(func(is *pool.Watch) { is.Begins(s.Name, time.Now()) })
	}
	return g, err
}
