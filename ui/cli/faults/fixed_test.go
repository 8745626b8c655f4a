//go:build !long

package faults

// fixed is how many voyages a usual run sails: one of each kind. A run is long that sails more, and the cases.
const (
	fixed = 3
	long  = false
)
