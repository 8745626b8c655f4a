package voyage

// forgetPast drops the state of claims that are over and of ships that are gone, so that it stays small in a long voyage.
func (v *Voyage) forgetPast() {
	changes(v, func() {
		there := map[string]bool{}
		for _, f := range v.Roster.Now().Ships {
			there[f.Name] = true
		}
		v.Records.Forget(v.Store.Snapshot().Task, there)
		v.Spending.Forget(there)
		v.Steering.Forget(v.Store.Snapshot().Task)
	})
}
