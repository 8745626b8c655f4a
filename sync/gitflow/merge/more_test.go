//go:build !long

package merge

const stride = 3 // every third moment of a kill is tried
