//go:build long

package dash

const stride = 1
