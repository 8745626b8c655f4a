package e2e

import (
	"path/filepath"

	"ocaptain/ui/cli/clitest"
)

// job is a task of a plan that a test makes.
type job struct {
	id      string
	subject string
	run     string
	verify  string
	after   []string
}

// plan writes a plan in the original's format below the captain's home and returns its
// directory.
func (c *captain) plan(name, repo, verify string, jobs []job) string {
	c.Helper()
	var all []clitest.Task
	for _, j := range jobs {
		all = append(all, clitest.Task{ID: j.id, Subject: j.subject, Run: j.run, Verify: j.verify, After: j.after})
	}
	dir := filepath.Join(c.home, name)
	if err := clitest.Plan(dir, repo, verify, all); err != nil {
		c.Fatal(err)
	}
	return dir
}
