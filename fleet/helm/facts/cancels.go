package facts

// Cancels are the acts of cancelling that are not over, by the task that the captain gave up. An act has a record for each task, so that it
// may be cut in the midst.
type Cancels map[string]Cancel

// Cancel is an act of cancelling.
type Cancel struct {
	Task  string   `json:"task"`
	Tasks []string `json:"tasks,omitempty"` // that go with it and itself, in the order in which they are cancelled
	Why   string   `json:"why,omitempty"`
	Over  bool     `json:"over,omitempty"`
}

// Add takes over how far an act is.
func (c *Cancels) Add(it Cancel) {
	if it.Over {
		delete(*c, it.Task)
		return
	}
	set((*map[string]Cancel)(c), it.Task, it)
}

func (c Cancels) records() (all []Record) {
	for _, it := range c {
		all = append(all, Record{Kind: KindCancel, Data: it})
	}
	return all
}
