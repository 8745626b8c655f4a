package proto

// Index tells how much of a ship's tree can be searched.
type Index struct {
	Files   int    `json:"files"`
	LeftOut int    `json:"leftOut,omitempty"`
	Broken  string `json:"broken,omitempty"` // why it cannot be asked

	Hound string `json:"hound,omitempty"` // version and health of a ChunkHound that answers in its place, "" for none

	Chunks  int    `json:"chunks,omitempty"`  // of the files, where some are to be found by what they mean, too
	Vectors int    `json:"vectors,omitempty"` // of the chunks, that are
	Unmeant string `json:"unmeant,omitempty"` // why others are not
}

// MeaningRequest asks for vectors of texts: of questions, or of what is searched.
type MeaningRequest struct {
	Texts     []string `json:"texts"`
	Questions bool     `json:"questions,omitempty"`
}

// Meanings are the vectors of a MeaningRequest, as meaning.Vector is written.
type Meanings struct {
	Vectors [][]byte `json:"vectors"`
}
