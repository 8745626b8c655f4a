//go:build !long

package term

const seeds = 30 // of generated sequences
