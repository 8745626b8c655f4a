package fleet

// Embeddings is a service that makes vectors of a voyage's code.
type Embeddings struct {
	Service string `json:"service,omitempty"` // "" for none
	Tokens  int    `json:"tokens,omitempty"`  // that the ships of the voyage may have it count
}
