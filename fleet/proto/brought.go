package proto

// Brought says what happened on a ship to the git-ignored files of the captain's checkout.
type Brought struct {
	Files  int `json:"files"`  // files in the archive
	Placed int `json:"placed"` // files that were written this time
	// Kept are paths at which the ship already had something when they were to be written for the first time; that was
	// left alone.
	Kept []string `json:"kept,omitempty"`
}
