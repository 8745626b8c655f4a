//go:build long

package term

const generations = 120
