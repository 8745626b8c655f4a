//go:build !long

package mutagen

const maxOps = 500 // random changes of trees
