package tailnet_test

import (
	"errors"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

const machine = "voyage-0123456789ab-ship0"

// mint makes a key for a machine and returns the record of it.
func mint(t *testing.T, a *tailnet.API, machine string) (tailnet.Membership, tailnet.Key) {
	t.Helper()
	key, err := a.MakeKey(soon(t), machine)
	if err != nil {
		t.Fatal(err)
	}
	return tailnet.Membership{Machine: machine, Tag: a.DeviceTag(), Client: a.Client(), Began: key.Minted, Last: time.Now(), Key: key.ID}, key
}

func join(t *testing.T, f *apitest.Fake, key tailnet.Key, host string) apitest.Device {
	t.Helper()
	d, err := f.Join(key.Secret(), host)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A device is found as soon as it is listed, and another machine's device is not mistaken for it.
func TestAwait(t *testing.T) {
	f := apitest.Start(t, apitest.Options{Late: 3})
	a := open(t, f)
	b, key := mint(t, a, machine)
	hour := time.Now().Add(-time.Hour)
	for _, d := range []apitest.Device{
		{Host: machine, Tags: []string{tag}, Ephemeral: true, Created: hour}, // an earlier device of that name
		{Host: machine, Tags: []string{tag}},                                 // did not join with our key
		{Host: machine, Tags: []string{"tag:server"}, Ephemeral: true},
		{Host: "voyage-0123456789ab-ship1", Tags: []string{tag}, Ephemeral: true},
	} {
		f.Add(d)
	}
	if _, err := a.Find(soon(t), b); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("before it joined: %v", err)
	}
	want := join(t, f, key, machine)
	d, err := a.AwaitDevice(soon(t), b)
	if err != nil || d.ID != want.Node {
		t.Errorf("%+v, %v; want %s", d, err, want.Node)
	}
	f.Add(apitest.Device{Host: machine, Tags: []string{tag}, Ephemeral: true})
	for range 3 {
		_, _ = a.Devices(soon(t))
	}
	if d, err := a.Find(soon(t), b); !errors.Is(err, tailnet.ErrForeign) {
		t.Errorf("two of them: %+v, %v", d, err)
	}
	b.Node = want.Node
	if d, err := a.Find(soon(t), b); err != nil || d.ID != want.Node {
		t.Errorf("by its id: %+v, %v", d, err)
	}
	b.Node = "n0CNTRL"
	ctx := eventually.Brief(t, 500*time.Millisecond)
	if _, err := a.AwaitDevice(ctx, b); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("one that never comes: %v", err)
	}
}

// Whatever was recorded before a crash, nothing stays in the tailnet.
func TestClear(t *testing.T) {
	for _, c := range []struct {
		name   string
		joined bool
		node   bool // the device was recorded
		late   int
		old    bool // the key has expired
		other  bool // another OAuth client made the key
		want   bool
	}{
		{name: "key not used", want: false}, // a machine may be about to be listed
		{name: "key not used, long ago", old: true, want: true},
		{name: "joined and recorded", joined: true, node: true, want: true},
		{name: "joined, not recorded", joined: true, want: true},
		{name: "joined, not listed yet", joined: true, late: 1, want: false},
		{name: "recorded, not listed yet", joined: true, node: true, late: 1, want: true},
		{name: "of an earlier client", joined: true, node: true, other: true, want: true},
		{name: "perhaps of another tailnet", old: true, other: true, want: false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := apitest.Start(t, apitest.Options{Late: c.late})
			a := open(t, f)
			other := f.Add(apitest.Device{Host: "voyage-0123456789ab-ship1", Tags: []string{tag}, Ephemeral: true})
			b, key := mint(t, a, machine)
			if c.joined {
				if d := join(t, f, key, machine); c.node {
					b.Node = d.Node
				}
			}
			if c.old {
				b.Last = b.Last.Add(-tailnet.KeyLife)
			}
			if c.other {
				b.Client = "k0CNTRL"
			}
			gone, removed, err := a.RemoveDevices(soon(t), b)
			if err != nil || gone != c.want {
				t.Errorf("%v, %v", gone, err)
			}
			if was := c.joined && gone; removed != was {
				t.Errorf("removed is %t", removed)
			}
			if _, err := f.Join(key.Secret(), "late"); err == nil {
				t.Error("the key still lets in")
			}
			if !gone && c.late > 0 { // it is listed after a while
				if gone, _, err = a.RemoveDevices(soon(t), b); err != nil || !gone {
					t.Errorf("again: %v, %v", gone, err)
				}
			}
			if left := f.Devices(); len(left) != 1 || left[0].Node != other.Node {
				t.Errorf("left: %+v", left)
			}
		})
	}
	if gone, _, err := new(tailnet.API).RemoveDevices(t.Context(), tailnet.Membership{Machine: machine}); err != nil || !gone {
		t.Errorf("nothing was asked for yet: %v, %v", gone, err)
	}
}

// If the captain gave a device another tag, the device is his, whatever was recorded.
func TestClearLeavesWhatIsAnothers(t *testing.T) {
	f := apitest.Start(t, apitest.Options{})
	a := open(t, f)
	b, _ := mint(t, a, machine)
	b.Node = f.Add(apitest.Device{Host: machine, Tags: []string{"tag:server"}}).Node
	if gone, _, err := a.RemoveDevices(soon(t), b); !gone || !errors.Is(err, tailnet.ErrForeign) || len(f.Devices()) != 1 {
		t.Errorf("%v, %v, %v", gone, err, f.Devices())
	}
}
