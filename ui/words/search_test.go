package words

import (
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
)

func TestIndexes(t *testing.T) {
	ship := func(name string, is proto.Index) fleet.ShipView {
		return fleet.ShipView{Ship: fleet.Ship{Name: name}, Index: is}
	}
	for _, tt := range []struct {
		ships []fleet.ShipView
		want  []string
	}{
		{nil, nil},
		{[]fleet.ShipView{ship("a", proto.Index{})}, nil},
		{[]fleet.ShipView{ship("a", proto.Index{Files: 1}), ship("b", proto.Index{Files: 8, LeftOut: 2}), ship("c", proto.Index{})}, []string{"2 ships can, 8 files, 2 more left out"}},
		{[]fleet.ShipView{ship("a", proto.Index{Files: 3}), ship("b\x1b[2J", proto.Index{Broken: "no\ngit"})}, []string{"1 ship can, 3 files", "b does not work: no git"}},
	} {
		if got := Indexes(tt.ships); !slices.Equal(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
