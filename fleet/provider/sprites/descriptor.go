package sprites

import (
	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
)

// Descriptor describes this provider.
var Descriptor = describe.Provider{
	Name: "sprites", Tailnet: true, Arch: "amd64", Where: "on sprites.dev", Service: "sprites.dev", Login: findLogin, Awake: awake, Title: "Ships at sprites.dev",
	Variables: []describe.Variable{
		{Name: "SPRITES_TOKEN", Login: true},
		{Name: "SPRITE_TOKEN", Login: true},
		{Name: "SPRITES_API_URL"},
	},
	Settings: []describe.Setting{{Key: "org", Help: "organization on sprites.dev that the token must belong to; not used by local ships"}},
	New: func(e describe.Env) (provider.Provider, error) {
		return New(Options{
			Credentials: func() (Credentials, error) { return Kept(e.Hub) },
			Program:     e.Program, Own: map[string]string{provider.Install: e.Install},
		}), nil
	},
}

// Kept returns the credentials that are stored on the hub. If there are none, the error is ErrNoToken.
func Kept(h fleet.Hub) (Credentials, error) {
	kept, err := tokens.StoreOf(h).ReadToken("sprites")
	if err != nil {
		return Credentials{}, err
	}
	c := Credentials{Token: kept.Secret, URL: kept.URL, Command: kept.Command, Organization: kept.Account}
	return c, c.Check()
}
