//go:build !long

package merge

const stride = 3 // TestKilled kills git at every third moment
