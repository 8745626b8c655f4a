package plan

import (
	"slices"
	"strings"
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

func TestCall(t *testing.T) {
	for want, v := range map[string]proto.Verdict{
		"task 3: go on with it": {Act: proto.ActContinue, Held: "3"},
		"are ready: 4, 2.":      {Act: proto.ActClaim, Ready: []string{"4", "2"}},
	} {
		if is := (Plan{}).Call(v); !strings.Contains(is, want) {
			t.Errorf("%q", is)
		}
	}
}
