package tailnet

import (
	"context"
	"errors"
	"slices"
)

// Orphan is something on the tailnet that no ship is known to need.
type Orphan struct {
	// Berth is what this install recorded; its Machine is the device's name for what it did not.
	Berth Berth
	// Device is nil when none is listed: a key may be left, or the device is about to be listed.
	Device *Device
	// Ours says that this install recorded it, so that Clear may be called. Anything else, which may be a ship
	// of another machine with ocaptain, is for the captain to remove in the admin console.
	Ours bool
}

// Orphans compares what is recorded, and what is listed with the ships' tag, with the machines
// of the ships that there are, which live tells. It changes nothing. What can be told is returned
// also with an error.
func Orphans(ctx context.Context, a *API, book *Book, live func(machine string) bool) ([]Orphan, error) {
	berths, damaged := book.All()
	tags := []string{a.Tag()}
	for _, b := range berths {
		if !slices.Contains(tags, b.Tag) {
			tags = append(tags, b.Tag)
		}
	}
	var list []Device
	for _, tag := range tags {
		devices, err := a.devices(ctx, tag)
		if err != nil {
			return nil, errors.Join(err, damaged)
		}
		for _, d := range devices {
			if !slices.ContainsFunc(list, func(o Device) bool { return o.ID == d.ID }) { // it may carry two of them
				list = append(list, d)
			}
		}
	}
	known := map[string]bool{} // by node id
	var orphans []Orphan
	for _, b := range berths {
		found := b.among(list)
		lives := live(b.Machine) && !b.Leaving
		if len(found) == 1 {
			known[found[0].ID] = true
		}
		switch {
		case lives:
		case len(found) == 1:
			orphans = append(orphans, Orphan{Berth: b, Device: &found[0], Ours: true})
		default:
			orphans = append(orphans, Orphan{Berth: b, Ours: true})
		}
	}
	for i, d := range list {
		if !known[d.ID] && !live(d.Host) {
			orphans = append(orphans, Orphan{Berth: Berth{Machine: d.Host, Tag: a.Tag()}, Device: &list[i]})
		}
	}
	return orphans, damaged
}
