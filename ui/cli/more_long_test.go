//go:build long

package cli

var walked = []struct{ all, refuses bool }{{false, false}, {false, true}, {true, false}, {true, true}}
