//go:build long

package gitflow

const stride = 1
