package tasks

import "slices"

// LinkBothWays returns copies of the tasks with every reference in both directions: if task a names b in Blocks, b
// names a in BlockedBy, and the reverse. References keep their order, without duplicates; new ones come last.
func LinkBothWays(all []Task) []Task {
	index := make(map[string]int, len(all))
	linked := make([]Task, len(all))
	for i, t := range all {
		linked[i] = t.Clone()
		if _, twice := index[t.ID]; !twice {
			index[t.ID] = i
		}
	}
	for _, t := range all {
		for _, id := range t.Blocks {
			if i, ok := index[id]; ok {
				linked[i].BlockedBy = append(linked[i].BlockedBy, t.ID)
			}
		}
		for _, id := range t.BlockedBy {
			if i, ok := index[id]; ok {
				linked[i].Blocks = append(linked[i].Blocks, t.ID)
			}
		}
	}
	for i := range linked {
		linked[i].Blocks = UniqueIDs(linked[i].Blocks)
		linked[i].BlockedBy = UniqueIDs(linked[i].BlockedBy)
	}
	return linked
}

// UniqueIDs removes duplicates.
func UniqueIDs(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}
