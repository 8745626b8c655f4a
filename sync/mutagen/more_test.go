//go:build !long

package mutagen

const mostOps = 500 // random changes of trees
