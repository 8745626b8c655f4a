//go:build !long

package hub

const rounds = 4 // TestKilled kills so many hubs
