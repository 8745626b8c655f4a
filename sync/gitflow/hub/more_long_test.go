//go:build long

package hub

const (
	stride = 1
	rounds = 12
)
