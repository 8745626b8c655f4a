package proto

// Brought is what became on a ship of the files that the captain's checkout has and git ignores.
type Brought struct {
	Files  int `json:"files"`  // in the archive
	Placed int `json:"placed"` // that were written now
	// Kept are paths at which the ship had something else when they were to be written for the first time: it stays.
	Kept []string `json:"kept,omitempty"`
}
