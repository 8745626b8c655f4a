package shipdir

import (
	"fmt"
	"strings"
)

// JoinIDs joins at most ten ids.
func JoinIDs(ids []string) string {
	if len(ids) > 10 {
		return strings.Join(ids[:10], ", ") + ", …"
	}
	return strings.Join(ids, ", ")
}

// CompletedText says that a task is done and how much of it was merged.
func CompletedText(id string, files int) string {
	if files == 1 {
		return "completed task " + id + ": 1 file merged"
	}
	return fmt.Sprintf("completed task %s: %d files merged", id, files)
}
