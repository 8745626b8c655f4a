//go:build long

package mutagen

const maxOps = 10_000
