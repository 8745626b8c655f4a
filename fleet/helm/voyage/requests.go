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

// newReview returns what brings work that was handed in to the branch.
func (v *Voyage) newReview() *review.Review {
	return review.New(review.Options{
		Core: v.Core, Claims: v.claims, Verifier: v.Verifier, OwnFiles: v.issues.OwnFiles,
		Hubs: review.Hubs{MayReview: v.mayReview, Take: v.takeReview, Get: v.getWork, Unshare: v.unshareWork, Once: v.once, Record: v.recordLanded},
	})
}

// request has fn carry out what a ship asks.
func request[A, B any](s *ship.Ship, fn func(context.Context, *ship.Ship, A) (B, error)) wire.Handler {
	return wire.Handle(func(ctx context.Context, ask A) (B, error) { return fn(ctx, s, ask) })
}

// claim claims a task for what the ship asks for by itself, and grantClaim for what the ship was given.
func (s *Ship) claim(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	return s.claimWith(ctx, r, s.v.Requests.Claim)
}

func (s *Ship) grantClaim(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	return s.claimWith(ctx, r, s.v.Requests.Grant)
}

func (s *Ship) claimWith(ctx context.Context, r proto.ClaimRequest, fn func(context.Context, *ship.Ship, proto.ClaimRequest) (proto.Grant, error)) (proto.Grant, error) {
	v := s.v
	changes(v, s.forgive)
	g, err := fn(ctx, s.Ship, r)
	if err == nil && !g.Again && v.Kind.Gives() {
		v.Dispatcher.Watch.Change(func(is *pool.Watch) { is.Begins(s.Name, time.Now()) })
	}
	return g, err
}
