package helm

import (
	"path/filepath"
	"runtime"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites"
)

// SpritesFile is where the hub keeps the token for sprites.dev, so that helm has it also when
// nobody who knows it is there.
func SpritesFile(h fleet.Hub) string { return filepath.Join(h.State, "sprites.json") }

// Sprites is the provider of ships on sprites.dev. They run the hub's own program, so they can
// be made only where that is one for them: on linux.
func Sprites(h fleet.Hub, program, install string) *sprites.Provider {
	if runtime.GOOS != "linux" {
		program = ""
	}
	return sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return sprites.Stored(SpritesFile(h)) },
		Program:     program, Arch: runtime.GOARCH,
		Own: map[string]string{"ocaptain": install},
		Dir: filepath.Join(h.State, "sprites"),
	})
}
