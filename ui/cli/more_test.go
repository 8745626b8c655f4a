//go:build !long

package cli

// walked are the voyages whose exits are walked: whether all of its names are hostile, and whether helm refuses what is asked.
var walked = []struct{ all, refuses bool }{{true, false}, {false, true}}
