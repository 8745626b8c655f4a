package faults

// cloud is what a place has that can lie or be cut off.
type cloud struct{}

var links, lies, captains, files, disks, commands []fault
