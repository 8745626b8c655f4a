//go:build !long

package cli

// walked lists the hostile voyages on which TestExits runs commands: whether all names are hostile, and whether helm refuses
// requests.
var walked = []struct{ all, refuses bool }{{true, false}, {false, true}}
