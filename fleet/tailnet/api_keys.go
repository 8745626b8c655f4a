package tailnet

import (
	"context"
	"errors"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"
)

// KeyLife is how long an unused key lets a machine in.
const KeyLife = 10 * time.Minute

// Key lets one machine join the tailnet, once, within KeyLife. The device is ephemeral, needs no
// approval and carries the tag.
type Key struct {
	ID     string    // names it; no secret
	Minted time.Time // by the service's clock
	secret string
}

// Secret is what the machine joins with. It goes there by stdin into a file for its owner
// alone, and nowhere else.
func (k Key) Secret() string { return k.secret }

// String names the key and does not give it away.
func (k Key) String() string { return "key " + k.ID }

// GoString is String.
func (k Key) GoString() string { return k.String() }

func isKeyID(text string) bool { return letters(text, 64, "_-") }

// MakeKey makes a key for one machine of that name. It does not try again when its answer is lost: no
// machine knows the lost key, and it is worth nothing after KeyLife.
func (a *API) MakeKey(ctx context.Context, machine string) (Key, error) {
	var r tailscale.CreateKeyRequest
	r.Capabilities.Devices.Create.Ephemeral = true
	r.Capabilities.Devices.Create.Preauthorized = true
	r.Capabilities.Devices.Create.Tags = []string{a.DeviceTag()}
	r.ExpirySeconds = int64(KeyLife / time.Second)
	r.Description = describe(machine)
	var key Key
	err := a.callAgain(ctx, "make a key for "+machine, scopeKeys, true, func(ctx context.Context) error {
		got, err := a.client.Keys().CreateAuthKey(ctx, r)
		if err != nil {
			return err
		}
		if !isKeyID(got.ID) || got.Key == "" || len(got.Key) > 1000 || cleanLine(got.Key, 1000) == "" {
			return errors.New("there is no key in it")
		}
		if key = (Key{ID: got.ID, Minted: got.Created, secret: got.Key}); key.Minted.IsZero() {
			key.Minted = time.Now()
		}
		return nil
	})
	return key, err
}

// describe is what the admin console shows of a key. It takes letters, digits, hyphens and
// spaces, and not many of them.
func describe(machine string) string {
	text := []byte("ocaptain " + machine)
	for i := range text {
		if !letters(string(text[i]), 1, " -") {
			text[i] = '-'
		}
	}
	return string(text[:min(len(text), 50)])
}

// Revoke makes a key worthless. A missing key is no error; a device that joined with it stays.
func (a *API) Revoke(ctx context.Context, id string) error {
	if !isKeyID(id) {
		return errors.New("revoke a key: its id makes no sense")
	}
	err := a.callAgain(ctx, "revoke key "+id, scopeKeys, false, func(ctx context.Context) error {
		return a.client.Keys().Delete(ctx, id)
	})
	if isGone(err) {
		return nil
	}
	return err
}

// CheckAccess makes sure that the secret mints keys for ships and manages their devices: a key is made
// and revoked at once, and the devices are listed.
func (a *API) CheckAccess(ctx context.Context) error {
	if err := a.Admitted(ctx); err != nil {
		return err
	}
	key, err := a.MakeKey(ctx, "doctor")
	if err == nil {
		err = a.Revoke(context.WithoutCancel(ctx), key.ID)
	}
	if err != nil {
		return err
	}
	_, err = a.Devices(ctx)
	return err
}

// Admitted makes sure that Tailscale takes the secret and grants the scopes that are needed. It
// changes nothing there.
func (a *API) Admitted(ctx context.Context) error {
	for _, scope := range []string{scopeKeys, scopeDevices} {
		if err := a.callAgain(ctx, "log in", scope, false, func(ctx context.Context) error {
			_, err := a.door.accessToken(ctx, scope)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
