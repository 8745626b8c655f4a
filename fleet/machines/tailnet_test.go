package machines

import (
	"errors"
	"os"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

// inTailnet returns a keeper whose machines join a tailnet.
func inTailnet(t *testing.T, f *apitest.Fake, dir string, s *service, proof time.Duration) (*Keeper, provider.Provider) {
	t.Helper()
	api, err := tailnet.Open(tailnet.Credentials{Secret: f.Secret(), URL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	k := New(Options{Records: Open(dir), Install: "i1", Proof: proof, Tailnet: func() (*tailnet.API, error) { return api, nil }})
	t.Cleanup(k.Close)
	return k, k.Use(s)
}

// joined makes a machine that has joined the tailnet.
func joined(t *testing.T, f *apitest.Fake, k *Keeper, p provider.Provider) {
	t.Helper()
	made(t, p)
	key, err := k.JoinKey(soon(t), there)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Join(key.Secret(), there.Name)
	if err == nil {
		_, err = k.Joined(soon(t), there, d.IPs[0])
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A machine leaves the tailnet when it is gone, and not before. It stays on record until it has left, also for the
// next keeper, but does not count as a machine that may exist.
func TestLeave(t *testing.T) {
	f, s, dir := apitest.Start(t, apitest.Options{}), newService(), t.TempDir()
	k, p := inTailnet(t, f, dir, s, time.Hour)
	joined(t, f, k, p)
	s.lie(failed)
	if err := k.Destroy(soon(t), there, "tested", nil); !errors.Is(err, errRefused) || len(f.Devices()) != 1 {
		t.Errorf("%v; devices are %+v", err, f.Devices())
	}
	f.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse})
	for range 2 { // the second call does not wait
		if err := k.Destroy(soon(t), there, "tested", nil); err != nil || k.Has(there) || len(s.truth()) > 0 {
			t.Errorf("%v; there are %v", err, s.truth())
		}
	}
	if r, is := k.Get(there); !is || !r.Gone || r.Tailnet.Node == "" || r.Trouble == "" {
		t.Errorf("on record: %+v", r)
	}
	k.Close()
	f.Forgive()
	k, _ = inTailnet(t, f, dir, s, time.Hour)
	if err := k.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is off the record", func() bool { _, is := k.Get(there); return !is })
	if len(f.Devices())+len(f.Keys()) > 0 {
		t.Errorf("left are %+v, %+v", f.Devices(), f.Keys())
	}
}

// A machine that is listed after all is destroyed again, and is not confused with a new machine of its name.
func TestGoneTooSoon(t *testing.T) {
	f, s := apitest.Start(t, apitest.Options{}), newService()
	k, p := inTailnet(t, f, t.TempDir(), s, time.Hour)
	joined(t, f, k, p)
	f.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse})
	if err := k.Destroy(soon(t), there, "tested", nil); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.have[there.Name] = true
	s.mu.Unlock()
	if _, _, err := k.Look(soon(t), []string{"sprites"}, "voyage-", time.Minute); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is destroyed again", func() bool { return len(s.truth()) == 0 })
	f.Forgive()
	if err := k.Destroy(soon(t), there, "tested", nil); err != nil || len(s.truth()) > 0 {
		t.Errorf("%v; there are %v", err, s.truth())
	}
	joined(t, f, k, p)
	was, _ := k.Get(there)
	old := *was.Tailnet
	old.Key = "k0ther"
	if r, err := k.left(there, old); err != nil || r.Tailnet == nil || !k.Has(there) {
		t.Errorf("another's key: %+v, %v", r, err)
	}
	made(t, p)
	if r, _ := k.Get(there); r.Tailnet == nil || r.Tailnet.Key != was.Tailnet.Key {
		t.Errorf("on record is %+v", r)
	}
}

// If a key cannot be recorded, it is revoked.
func TestKeyWithoutRecord(t *testing.T) {
	f, dir := apitest.Start(t, apitest.Options{}), t.TempDir()
	k, _ := inTailnet(t, f, dir, newService(), time.Hour)
	if err := os.MkdirAll(k.File(there)+"/x", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := k.JoinKey(soon(t), there); err == nil || len(f.Keys()) > 0 {
		t.Errorf("%v; keys are %+v", err, f.Keys())
	}
}
