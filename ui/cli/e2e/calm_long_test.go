//go:build long

package e2e

func init() { calmRounds, calmNice = 20, "0" }
