//go:build long

package gitflow

const (
	stride = 1
	rounds = 12
)
