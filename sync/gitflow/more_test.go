//go:build !long

package gitflow

const stride = 5 // every fifth moment of a kill is tried
