//go:build !long

package faults

// fixed is how many voyages a usual run sails, beside the cases.
const fixed = 9
