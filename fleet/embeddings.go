package fleet

// Embeddings says which service makes vectors of a voyage's code.
type Embeddings struct {
	Service string `json:"service,omitempty"` // "" for none
	Tokens  int    `json:"tokens,omitempty"`  // how many tokens the ships of the voyage may send to the service
}
