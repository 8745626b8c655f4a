package helm

import (
	"testing"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
)

// A commit is an exit: git shows it to the captain.
func TestCommitIsClean(t *testing.T) {
	s := &ship{name: "ship-0", v: &voyage{dir: "voyage-0"}}
	for _, summary := range []string{cleantest.Hostile, cleantest.Long, ""} {
		m := s.mergeCommit(&tasks.State{Task: tasks.Task{ID: "7", Subject: cleantest.Hostile, Description: cleantest.Hostile}}, summary)
		cleantest.Check(t, "subject", m.Subject, cleantest.Lines)
		cleantest.Check(t, "body", m.Body, cleantest.Texts)
	}
}
