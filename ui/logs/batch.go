package logs

// Batch is news for a Book.
type Batch struct {
	files []File  // new files; their numbers follow the last one
	gone  []int   // files that were started again
	older []found // older than all known records, newest first
	newer []found // newer, oldest first
	share float64 // the indexed share of the bytes that were there at the beginning
	whole bool    // all of these bytes are indexed, or the Book is full
}

// found is a record, with its words if they have been read.
type found struct {
	record
	line *Line
}
