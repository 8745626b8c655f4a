//go:build !long

package hub

const rounds = 4 // of a hub that is killed at random
