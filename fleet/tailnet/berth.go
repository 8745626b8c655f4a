package tailnet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/provider"
)

// Berth is what this install has recorded of one machine's place on the tailnet: from before a
// key is made for it until nothing of it is left there. Only what is recorded is ever removed.
type Berth struct {
	Machine string    `json:"machine"` // joins under this name
	Voyage  string    `json:"voyage"`
	Ship    string    `json:"ship"`
	Tag     string    `json:"tag"`
	Client  string    `json:"client,omitempty"` // id of the OAuth client that made the key
	Began   time.Time `json:"began,omitzero"`   // when its key was made, by the service's clock
	Last    time.Time `json:"last,omitzero"`    // the same, by this machine's clock
	Key     string    `json:"key,omitempty"`    // id of its key
	Node    string    `json:"node,omitempty"`   // id of its device, once that was seen
	// Leaving says that it shall go: its machine was, or is being, destroyed.
	Leaving bool `json:"leaving,omitempty"`
	// Missed is when its device was first looked for in vain since it is leaving.
	Missed time.Time `json:"missed,omitzero"`
}

// slack is by how much a device may seem older than the key that let it in.
const slack = time.Minute

// Find returns the machine's device: the one that was recorded, else the only one that carries
// the tag, calls itself by the machine's name and joined since there was a key for it. What a
// machine says of itself is not asked. provider.ErrNotFound when none is listed; ErrForeign when
// nobody can tell which of several it is.
func (a *API) Find(ctx context.Context, b Berth) (Device, error) {
	list, err := a.devices(ctx, b.Tag)
	if err != nil {
		return Device{}, err
	}
	found := b.among(list)
	switch len(found) {
	case 0:
		return Device{}, fmt.Errorf("device %s: %w", b.Machine, provider.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Device{}, fmt.Errorf("device %s: there are %d of that name: %w", b.Machine, len(found), ErrForeign)
}

// among returns the devices that may be the machine's.
func (b Berth) among(list []Device) []Device {
	var found []Device
	for _, d := range list {
		switch {
		case b.Node != "":
			if d.ID == b.Node {
				found = append(found, d)
			}
		case b.Key != "" && strings.EqualFold(d.Host, b.Machine) && d.Ephemeral && !d.Created.Before(b.Began.Add(-slack)):
			found = append(found, d)
		}
	}
	return found
}

// Await is Find for a machine that has just joined: devices are listed late. It asks until ctx ends.
func (a *API) Await(ctx context.Context, b Berth) (Device, error) {
	for n := 1; ; n++ {
		d, err := a.Find(ctx, b)
		if err == nil || !isMissing(err) {
			return d, err
		}
		if e := patience.Pause(ctx, n, 0); e != nil {
			return d, err
		}
	}
}

// The patience with what is not there. A machine may have joined with its key, and not be listed
// yet; with another OAuth client it may even be another tailnet that is asked, and then time
// alone tells that the service has removed the ephemeral device.
const (
	lateMax  = KeyLife
	otherMax = 48 * time.Hour
)

// Clear takes away what there is of a machine on the tailnet: its key, so that nobody joins any
// more, and then its device. The machine itself should be gone already. It is done when gone is true;
// else a device may still be about to be listed, and it is to be called again later. Repeating it is fine.
// Removed says that the service has confirmed it; without that one answer is the only proof there is.
// ErrForeign, with both, says that a device was left alone as it is not the one that was recorded.
func (a *API) Clear(ctx context.Context, b Berth) (gone, removed bool, err error) {
	if b.Key == "" {
		return true, true, nil // nobody ever had a key
	}
	if err := a.Revoke(ctx, b.Key); err != nil {
		return false, false, err
	}
	own := b.Client == a.Client()
	if b.Node == "" {
		d, err := a.Find(ctx, b)
		if isMissing(err) {
			return time.Since(b.Last) > lateMax && own || time.Since(b.Last) > otherMax, false, nil
		}
		if err != nil {
			return false, false, err
		}
		b.Node = d.ID
	}
	there, err := a.Remove(ctx, b.Node, b.Tag)
	if err != nil {
		return isForeign(err), isForeign(err), err
	}
	return there || own || time.Since(b.Last) > otherMax, there, nil
}
