package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Device is a machine in the tailnet.
type Device struct {
	Node      string // id, "" for a new one
	Host      string
	IPs       []string // nil for new addresses
	Tags      []string
	Ephemeral bool
	Created   time.Time // zero for now
	Gone      time.Time // since when it is disconnected, zero while it is connected
}

type entry struct {
	Device
	number int
	late   int // number of listings from which it is still missing
}

// Join adds a machine with the name host to the tailnet, as "tailscale up" with this key would.
func (f *Fake) Join(key, host string) (Device, error) {
	tags, ephemeral, err := f.Redeem(key)
	if err != nil {
		return Device{}, err
	}
	return f.Add(Device{Host: host, Tags: tags, Ephemeral: ephemeral}), nil
}

// Add adds a device to the tailnet.
func (f *Fake) Add(d Device) Device {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers++
	if d.Node == "" {
		d.Node = id('n', f.numbers)
	}
	if d.IPs == nil {
		d.IPs = []string{fmt.Sprintf("100.64.%d.%d", f.numbers/250, 1+f.numbers%250), fmt.Sprintf("fd7a:115c:a1e0::%x", f.numbers)}
	}
	if d.Created.IsZero() {
		d.Created = time.Now().UTC().Truncate(time.Second)
	}
	f.devices = append(f.devices, &entry{d, f.numbers, f.options.Late})
	return d
}

// Devices returns all devices in the tailnet.
func (f *Fake) Devices() []Device {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Device
	for _, e := range f.devices {
		list = append(list, e.Device)
	}
	return list
}

// id returns an id in the service's form.
func id(kind byte, n int) string { return fmt.Sprintf("%c%08dCNTRL", kind, n) }

func (e *entry) shown() map[string]any {
	m := map[string]any{
		"addresses": e.IPs, "id": fmt.Sprint(e.number), "nodeId": e.Node, "user": "ada@example.org",
		"name": fmt.Sprintf("%s.tail1234.ts.net", e.Host), "hostname": e.Host, "clientVersion": "", "os": "linux",
		"created": e.Created, "connectedToControl": e.Gone.IsZero(), "keyExpiryDisabled": true, "expires": "0001-01-01T00:00:00Z",
		"authorized": true, "isExternal": false, "isEphemeral": e.Ephemeral, "machineKey": "mkey:0", "nodeKey": "nodekey:0",
		"updateAvailable": false, "blocksIncomingConnections": false, "tailnetLockError": "", "tailnetLockKey": "",
	}
	if len(e.Tags) > 0 {
		m["tags"] = e.Tags
	}
	if !e.Gone.IsZero() {
		m["lastSeen"] = e.Gone
	}
	return m
}

func (f *Fake) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []any{}
	for _, e := range f.devices {
		if e.late > 0 {
			e.late--
			continue
		}
		if want := r.URL.Query()["tags"]; len(want) == 0 || slices.ContainsFunc(want, func(t string) bool { return slices.Contains(e.Tags, t) }) {
			all = append(all, e.shown())
		}
	}
	answer(w, map[string]any{"devices": all})
}

func (f *Fake) find(r *http.Request) int {
	return slices.IndexFunc(f.devices, func(e *entry) bool {
		return e.Node == r.PathValue("id") || fmt.Sprint(e.number) == r.PathValue("id")
	})
}

func (f *Fake) getDevice(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := f.find(r); i >= 0 {
		answer(w, f.devices[i].shown())
		return
	}
	fail(w, http.StatusNotFound, "device not found")
}

// deleteDevice deletes any device, since the client's tags do not restrict that.
func (f *Fake) deleteDevice(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	i := f.find(r)
	if i < 0 {
		f.mu.Unlock()
		fail(w, http.StatusNotFound, "device not found")
		return
	}
	node := f.devices[i].Node
	f.devices = slices.Delete(f.devices, i, i+1)
	f.mu.Unlock()
	if f.options.Removed != nil {
		f.options.Removed(node)
	}
}
