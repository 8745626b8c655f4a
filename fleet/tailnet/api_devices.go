package tailnet

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"
)

// Device is a machine on the tailnet. Its names are what it calls itself.
type Device struct {
	ID        string       // node id, like n1234CNTRL; never used again for another device
	Name      string       // in MagicDNS, whole
	Host      string       // what it says that it is called
	IPs       []netip.Addr // on the tailnet
	Tags      []string
	Ephemeral bool
	Created   time.Time // by the service's clock
	Seen      time.Time // zero while it is connected
}

// maxDevices bounds how many devices are looked at.
const maxDevices = 10_000

func isNodeID(text string) bool { return letters(text, 64, "") }

// Devices lists the devices that carry the ships' tag, also those of other installs of ocaptain. A device
// that has just joined may be missing.
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

// Remove deletes the device of that node id, if it carries the tag: the secret would be good for any device
// of the tailnet. A missing device is no error, and there is false; ErrForeign says that the id belongs to
// another device.
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
