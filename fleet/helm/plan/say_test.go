package plan

import (
	"slices"
	"testing"

	"ocaptain/fleet/proto"
)

func TestOffer(t *testing.T) {
	few := []string{"4", "2"}
	if is := (Plan{}).Offer(few); is.Act != proto.ActClaim || !slices.Equal(is.Ready, few) {
		t.Errorf("%+v", is)
	}
	many := slices.Repeat(few, 10)
	if is := (Plan{}).Offer(many); !slices.Equal(is.Ready, many[:10]) {
		t.Errorf("of many it is told of %q", is.Ready)
	}
}
