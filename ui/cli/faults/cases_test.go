package faults

// cases are the seeds of voyages that once failed, and what they found. Faults are drawn by name, so
// a case means the same as long as the table of faults does.
var cases = []struct {
	seed  uint64
	found string
}{}
