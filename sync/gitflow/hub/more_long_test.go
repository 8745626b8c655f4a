//go:build long

package hub

const rounds = 12
