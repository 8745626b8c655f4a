package voyage

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/provision"
)

// joining is TailnetOf for a ship that is being fitted out: without a way into the tailnet on this machine
// nothing is gained by joining.
func (v *Voyage) joining(ctx context.Context, f *fleet.Ship) *provision.Tailnet {
	t := v.set.TailnetOf(f, v.machineOf(f))
	if t == nil {
		return nil
	}
	if _, err := v.set.Net.DescribeWay(ctx); err != nil {
		v.notes.Add(fleet.Note{Ship: f.Name, Text: "it does not join the tailnet: " + clean.Bound(err.Error(), maxText)})
		return nil
	}
	return t
}
