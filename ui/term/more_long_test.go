//go:build long

package term

const seeds = 120
