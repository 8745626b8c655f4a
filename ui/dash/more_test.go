//go:build !long

package dash

const stride = 4 // every fourth binding is walked
