package tailnet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/provider"
)

// Membership is this install's record of one machine in the tailnet. It exists from before the key is used until
// nothing of the machine is left in the tailnet. Nothing is removed that was not recorded.
type Membership struct {
	Machine string    `json:"machine"` // the name under which it joins
	Tag     string    `json:"tag"`
	Client  string    `json:"client,omitempty"` // id of the OAuth client that made its key
	Began   time.Time `json:"began,omitzero"`   // when its first key was made, by the clock of the service
	Last    time.Time `json:"last,omitzero"`    // when its last key was made, by this machine's clock
	Key     string    `json:"key,omitempty"`    // id of its key
	Node    string    `json:"node,omitempty"`   // id of its device, once that was seen
	// Missed is when its device was first not found after its machine was gone.
	Missed time.Time `json:"missed,omitzero"`
}

// slack is how much older than its key a device may seem to be.
const slack = time.Minute

// Find returns the machine's device: the recorded one, or else the only device that has the tag and the machine's
// name and joined after a key was made for it. It does not ask the machine. The error is provider.ErrNotFound if no
// such device is listed, and ErrForeign if several are.
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

// among returns the devices in the list that may be the machine's.
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

// AwaitDevice is Find for a machine that has just joined, since new devices are listed late. It retries until ctx ends, and then
// returns the last error of the service.
func (a *API) AwaitDevice(ctx context.Context, m Membership) (Device, error) {
	var missing error
	for n := 1; ; n++ {
		d, err := a.Find(ctx, m)
		if err != nil && ctx.Err() != nil && missing != nil { // ctx ended during a retry
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

// How long to look for a device that is not listed. A machine may have joined with its key and not be listed yet.
// With another OAuth client, another tailnet may be asked; then only time proves that the service has removed the
// ephemeral device.
const (
	lateMax  = KeyLife
	otherMax = 48 * time.Hour
)

// RemoveDevices removes a machine from the tailnet: first its key, so that no machine can join with it, and then its
// device. The machine itself should be gone before. If gone is false, a device may still appear: call again later.
// Calling it again is fine. removed says that the service has confirmed the removal; if it is false, a single answer
// is the only proof. ErrForeign, with both true, means that a device was left alone because it is not the recorded
// one.
func (a *API) RemoveDevices(ctx context.Context, m Membership) (gone, removed bool, err error) {
	if m.Key == "" {
		return true, true, nil // no key was ever made
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
