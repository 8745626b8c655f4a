//go:build !long

package hub

const (
	stride = 13 // every thirteenth moment of a kill is tried
	rounds = 4  // of a hub that is killed at random
)
