package tailnet

import (
	"context"
	"errors"
	"time"

	tailscale "tailscale.com/client/tailscale/v2"
)

// KeyLife is how long a key is valid.
const KeyLife = 10 * time.Minute

// Key lets one machine join the tailnet, once, within KeyLife. The device is ephemeral, needs no approval and gets
// the tag.
type Key struct {
	ID     string    // not secret
	Minted time.Time // by the clock of the service
	secret string
}

// Secret returns the text with which the machine joins. Send it to the machine only by standard input, and store it
// there only in a file that its owner alone can read.
func (k Key) Secret() string { return k.secret }

// String names the key without its secret.
func (k Key) String() string { return "key " + k.ID }

// GoString returns the same as String.
func (k Key) GoString() string { return k.String() }

func isKeyID(text string) bool { return letters(text, 64, "_-") }

// MakeKey makes a key for one machine of that name. It does not retry when its answer is lost: no machine has the
// lost key, and the key expires after KeyLife.
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

// describe returns the description of a key in the admin console. It may contain only letters, digits, hyphens and
// spaces, and must be short.
func describe(machine string) string {
	text := []byte("ocaptain " + machine)
	for i := range text {
		if !letters(string(text[i]), 1, " -") {
			text[i] = '-'
		}
	}
	return string(text[:min(len(text), 50)])
}

// Revoke makes a key invalid. It is no error if the key does not exist. A device that joined with the key stays.
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

// CheckAccess checks that the secret can make keys for ships and manage their devices. It makes a key, revokes it at
// once, and lists the devices.
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

// Admitted checks that Tailscale accepts the secret and grants the necessary scopes. It changes nothing at Tailscale.
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
