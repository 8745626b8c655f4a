//go:build long

package e2e

func init() { calmRounds = 20 }
