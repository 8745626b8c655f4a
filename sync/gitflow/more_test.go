//go:build !long

package gitflow

const (
	stride = 3 // of every so many moments one is tried
	seeds  = 1 // of attacks
)
