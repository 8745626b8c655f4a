package helm

import (
	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
)

// SpritesKept is what opens sprites.dev, as it is kept on the hub. Without a token it fails.
func SpritesKept(h fleet.Hub) (sprites.Credentials, error) {
	kept, err := tokens.StoreOf(h).ReadToken("sprites")
	if err != nil {
		return sprites.Credentials{}, err
	}
	c := sprites.Credentials{Token: kept.Secret, URL: kept.URL, Command: kept.Command, Organization: kept.Account}
	return c, c.Check()
}

// Sprites is the provider of ships on sprites.dev.
func Sprites(h fleet.Hub, programs Programs, install string) *sprites.Provider {
	return sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return SpritesKept(h) },
		Program:     programs, Own: map[string]string{"ocaptain": install},
	})
}
