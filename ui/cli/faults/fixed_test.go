//go:build !long

package faults

// fixed is how many voyages a usual run sails, beside the cases: one of each kind. A run is long that sails more.
const (
	fixed = 3
	long  = false
)
