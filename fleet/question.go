package fleet

// Question is a yes-or-no question about a task for the captain.
type Question struct {
	Task string
	Work string // the commit that the answer is about, "" when the answer applies to any work
	What string // the question, in words that follow the task
	Yes  string // what a yes does, in words
	No   string
}

// QuestionOf returns the question about a task that the captain has to answer, nil for none. It is about work that steers
// agents, a plan, or work in review.
func (b *Board) QuestionOf(id string) *Question {
	if s := b.SteeringOf(id); s != nil && s.Word == Waits {
		return &Question{
			id, s.Work, "changes files that steer agents, " + s.FilesText(),
			"it is merged, unless " + s.Ship + " has changed its work since", "it goes back to " + s.Ship + ", which is told to leave these files alone",
		}
	}
	for i := range b.Tasks {
		switch t := &b.Tasks[i]; {
		case t.ID != id:
		case t.Proposed > 0:
			return &Question{id, "", "is to consist of " + Counted(t.Proposed, "task", "tasks"), "workers begin with them", "it is planned anew"}
		case t.InReview() && !t.Approved():
			return &Question{id, t.HandIn.Commit, "is in review", "it is merged next, without a validator's word", "it goes back to " + t.HandIn.Owner}
		}
	}
	return nil
}
