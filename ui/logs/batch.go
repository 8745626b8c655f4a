package logs

// Batch is news for a Book.
type Batch struct {
	files []File  // that are new; they are numbered on
	gone  []int   // files that were begun anew
	older []found // older than everything known, newest first
	newer []found // newer, oldest first
	share float64 // of the bytes that were there at the beginning, indexed
	whole bool    // all of them were, or as many as a Book holds
}

// found is a record with its words when they were read.
type found struct {
	record
	line *Line
}
