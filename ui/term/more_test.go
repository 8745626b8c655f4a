//go:build !long

package term

const generations = 30 // of generated sequences
