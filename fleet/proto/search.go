package proto

// Index is the state of the search in a ship's tree.
type Index struct {
	Files   int    `json:"files"`
	LeftOut int    `json:"leftOut,omitempty"`
	Broken  string `json:"broken,omitempty"` // why it cannot be searched

	Hound string `json:"hound,omitempty"` // version and health of a ChunkHound that answers in its place, "" for none

	Chunks  int    `json:"chunks,omitempty"`  // number of chunks of the files, if some can be searched by meaning
	Vectors int    `json:"vectors,omitempty"` // how many of the chunks have vectors
	Unmeant string `json:"unmeant,omitempty"` // why other chunks have none
}

// MeaningRequest asks for vectors of texts: of queries, or of code to be searched.
type MeaningRequest struct {
	Texts     []string `json:"texts"`
	Questions bool     `json:"questions,omitempty"`
}

// Meanings are the vectors for a MeaningRequest, in the encoding of meaning.Vector.
type Meanings struct {
	Vectors [][]byte `json:"vectors"`
}
