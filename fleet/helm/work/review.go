package work

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// TakeReview records a validator's decision about the work that it reviews. Package review merges
// what is approved.
func (w *Work) TakeReview(ctx context.Context, s *ship.Ship, r proto.ReviewRequest) (proto.Reviewed, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return proto.Reviewed{}, err
	}
	defer s.Busy.Unlock()
	id, claim := r.Claim.Task, tasks.ClaimID(r.Claim.Task, r.Claim.Epoch)
	t, has, err := s.Asks(rights.Review, r.Claim)
	switch {
	case err != nil:
		return proto.Reviewed{}, err
	case s.Answered == claim: // asked again
		return proto.Reviewed{Task: id}, nil
	case has != rights.Holds || !t.InReview():
		f, _ := w.Records.FenceOf(id, r.Claim.Epoch)
		return proto.Reviewed{}, s.Refuse(id, review.Over(id, f.Why))
	}
	said, err := tasks.ReadReview(r.Review)
	if err != nil {
		return proto.Reviewed{}, s.Refuse(id, fmt.Errorf("this review cannot be used. Mend it and hand it in again:\n%w", err))
	}
	said.By, said.At, said.Reasoning = s.Name, time.Now().UTC().Round(time.Second), clean.Bound(said.Reasoning, clean.MaxText)
	if said.Approved {
		err = w.Hinders.OrAway(id, w.As(s.Actor()).Approve(context.WithoutCancel(ctx), id, s.Name, t.Epoch, said))
	} else {
		err = w.Review.SendBack(s.Actor(), t, review.Reasons(said), true)
	}
	if err != nil {
		return proto.Reviewed{}, err
	}
	s.Answered = claim
	s.Recovered()
	return proto.Reviewed{Task: id}, nil
}
