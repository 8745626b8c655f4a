package offers

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestOffers(t *testing.T) {
	now := time.Now()
	var o Offers
	o.Make("1", "ship-0", now)
	for _, test := range []struct {
		ready []string
		ship  string
		after time.Duration
		want  []string
	}{
		{[]string{"1", "2"}, "ship-1", 0, []string{"2"}},
		{[]string{"1"}, "ship-0", 0, []string{"1"}},
		{[]string{"1"}, "ship-1", Time + 1, []string{"1"}},
	} {
		if got := o.Free(slices.Values(test.ready), test.ship, now.Add(test.after)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s is told of %q after %s, want %q", test.ship, got, test.after, test.want)
		}
	}
	o.Make("2", "ship-0", now)
	o.Make("3", "ship-1", now)
	o.Claimed("2", "ship-0")
	if len(o.all) != 1 || o.all["3"].ship != "ship-1" {
		t.Errorf("after a claim: %v", o.all)
	}
	if o.Withdraw("ship-0") || !o.Withdraw("ship-1") {
		t.Error("Withdraw does not tell whether there was an offer")
	}
}
