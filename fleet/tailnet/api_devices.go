package tailnet

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"
)

// Device is a machine in the tailnet. The machine chose its names.
type Device struct {
	ID        string       // node id, like n1234CNTRL; never reused for another device
	Name      string       // full name in MagicDNS
	Host      string       // host name according to the machine
	IPs       []netip.Addr // addresses in the tailnet
	Tags      []string
	Ephemeral bool
	Created   time.Time // by the clock of the service
	Seen      time.Time // when it was last connected, zero while it is
}

// maxDevices bounds how many devices are read.
const maxDevices = 10_000

func isNodeID(text string) bool { return letters(text, 64, "") }

// Devices lists the devices that have the ships' tag, including those of other installs of ocaptain. A device that
// has just joined may be missing.
func (a *API) Devices(ctx context.Context) ([]Device, error) {
	return a.devices(ctx, a.DeviceTag())
}

func (a *API) devices(ctx context.Context, tag string) ([]Device, error) {
	var list []Device
	err := a.callAgain(ctx, "list devices", scopeDevices, false, func(ctx context.Context) error {
		got, err := a.client.Devices().List(ctx, tailscale.WithFilter("tags", []string{tag}))
		if list = nil; err == nil && got == nil {
			return errNoList
		}
		for _, d := range got[:min(len(got), maxDevices)] {
			if !isNodeID(d.NodeID) {
				return errNoList
			}
			if slices.Contains(d.Tags, tag) {
				list = append(list, device(d))
			}
		}
		return err
	})
	return list, err
}

func device(d tailscale.Device) Device {
	own := Device{
		ID: d.NodeID, Name: cleanLine(d.Name, 255), Host: cleanLine(d.Hostname, 255), Tags: slices.Clone(d.Tags),
		Ephemeral: d.IsEphemeral, Created: d.Created.Time,
	}
	if d.LastSeen != nil {
		own.Seen = d.LastSeen.Time
	}
	for _, text := range d.Addresses[:min(len(d.Addresses), 8)] {
		if ip, err := netip.ParseAddr(text); err == nil {
			own.IPs = append(own.IPs, ip)
		}
	}
	return own
}

// Remove deletes the device with that node id if it has the tag, since the secret could delete any device of the
// tailnet. If the device does not exist, there is false, and the error nil. ErrForeign means that the id belongs to a
// device without the tag.
func (a *API) Remove(ctx context.Context, node, tag string) (there bool, err error) {
	if !isNodeID(node) {
		return false, fmt.Errorf("device %q: its id makes no sense", cleanLine(node, 64))
	}
	err = a.callAgain(ctx, "remove device "+node, scopeDevices, false, func(ctx context.Context) error {
		d, err := a.client.Devices().Get(ctx, node)
		if err != nil {
			return err
		}
		if there = true; d.NodeID != node || !slices.Contains(d.Tags, tag) {
			return ErrForeign
		}
		return a.client.Devices().Delete(ctx, node)
	})
	if isGone(err) {
		return there, nil
	}
	return there, err
}
