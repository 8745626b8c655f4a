package facts

// Cancels are unfinished cancellations, by the task that the captain cancelled. A cancellation writes a record for each of its tasks, so a
// crash may interrupt it.
type Cancels map[string]Cancel

// Cancel is the cancellation of a task.
type Cancel struct {
	Task  string   `json:"task"`
	Tasks []string `json:"tasks,omitempty"` // the task and those cancelled with it, in the order in which they are cancelled
	Why   string   `json:"why,omitempty"`
	Over  bool     `json:"over,omitempty"`
}

// Add records how far a cancellation is.
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
