//go:build long

package faults

// fixed is how many voyages a long run sails, beside the cases.
const (
	fixed = 30
	long  = true
)
