package tailnet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/provider"
)

// Membership is what this install has recorded of one machine on the tailnet: from before anybody has
// its key until nothing of it is left there. Only what is recorded is ever removed.
type Membership struct {
	Machine string    `json:"machine"` // joins under this name
	Tag     string    `json:"tag"`
	Client  string    `json:"client,omitempty"` // id of the OAuth client that made the key
	Began   time.Time `json:"began,omitzero"`   // when its key was made, by the service's clock
	Last    time.Time `json:"last,omitzero"`    // the same, by this machine's clock
	Key     string    `json:"key,omitempty"`    // id of its key
	Node    string    `json:"node,omitempty"`   // id of its device, once that was seen
	// Missed is when its device was first looked for in vain since its machine is gone.
	Missed time.Time `json:"missed,omitzero"`
}

// slack is by how much a device may seem older than the key that let it in.
const slack = time.Minute

// Find returns the machine's device: the recorded device, else the only device that carries the
// tag, calls itself by the machine's name and joined since there was a key for it. Find does not
// ask the machine. The error is provider.ErrNotFound when no such device is listed, ErrForeign when
// several are.
func (a *API) Find(ctx context.Context, m Membership) (Device, error) {
	list, err := a.devices(ctx, m.Tag)
	if err != nil {
		return Device{}, err
	}
	found := m.among(list)
	switch len(found) {
	case 0:
		return Device{}, fmt.Errorf("device %s: %w", m.Machine, provider.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Device{}, fmt.Errorf("device %s: there are %d of that name: %w", m.Machine, len(found), ErrForeign)
}

// among returns the devices that may be the machine's.
func (m Membership) among(list []Device) []Device {
	var found []Device
	for _, d := range list {
		switch {
		case m.Node != "":
			if d.ID == m.Node {
				found = append(found, d)
			}
		case m.Key != "" && strings.EqualFold(d.Host, m.Machine) && d.Ephemeral && !d.Created.Before(m.Began.Add(-slack)):
			found = append(found, d)
		}
	}
	return found
}

// AwaitDevice is Find for a machine that has just joined: devices are listed late. It asks until ctx ends, and then returns what the
// service answered last.
func (a *API) AwaitDevice(ctx context.Context, m Membership) (Device, error) {
	var missing error
	for n := 1; ; n++ {
		d, err := a.Find(ctx, m)
		if err != nil && ctx.Err() != nil && missing != nil { // ctx ended while it asked again
			return Device{}, missing
		}
		if err == nil || !isMissing(err) {
			return d, err
		}
		missing = err
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

// RemoveDevices removes a machine from the tailnet: its key, so that no machine can join with it, and then
// its device. The machine itself should be gone already. If gone is false, a device may still be about to
// be listed: call again later. Repeating it is fine. Removed says that the service has confirmed the
// removal; otherwise one answer is the only proof. ErrForeign, with both true, says that RemoveDevices
// left a device alone because it is not the recorded one.
func (a *API) RemoveDevices(ctx context.Context, m Membership) (gone, removed bool, err error) {
	if m.Key == "" {
		return true, true, nil // there never was a key
	}
	if err := a.Revoke(ctx, m.Key); err != nil {
		return false, false, err
	}
	own := m.Client == a.Client()
	if m.Node == "" {
		d, err := a.Find(ctx, m)
		if isMissing(err) {
			return time.Since(m.Last) > lateMax && own || time.Since(m.Last) > otherMax, false, nil
		}
		if err != nil {
			return false, false, err
		}
		m.Node = d.ID
	}
	there, err := a.Remove(ctx, m.Node, m.Tag)
	if err != nil {
		return isForeign(err), isForeign(err), err
	}
	return there || own || time.Since(m.Last) > otherMax, there, nil
}
