package facts

// Dismissed says that a proposal was removed from the list.
type Dismissed struct {
	Proposal int    `json:"proposal"`
	Key      string `json:"key,omitempty"` // the key of a proposal about an issue, if the journal no longer has the proposal itself
}
