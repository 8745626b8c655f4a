//go:build !long

package dash

const stride = 8 // every eighth binding is walked
