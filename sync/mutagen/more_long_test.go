//go:build long

package mutagen

const mostOps = 10_000
