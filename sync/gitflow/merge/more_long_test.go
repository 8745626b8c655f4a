//go:build long

package merge

const stride = 1
