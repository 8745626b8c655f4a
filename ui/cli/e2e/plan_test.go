package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
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
	c.write(name+"/voyage.json", c.json(map[string]any{
		"name": name, "repo": repo, "recommended_ships": 3, "total_tasks": len(jobs), "created": "2026-01-02T03:04:05Z",
	}))
	c.write(name+"/spec.md", "# "+name+" Specification\n\n## Objective\n\nDo all the tasks of "+name+".\n")
	c.write(name+"/verify.sh", verify)
	blocks := map[string][]string{}
	for _, j := range jobs {
		for _, a := range j.after {
			blocks[a] = append(blocks[a], j.id)
		}
	}
	list := func(s []string) []string { return append([]string{}, s...) }
	for _, j := range jobs {
		meta := map[string]any{"voyage": name, "repo": repo, "run": j.run}
		if j.verify != "" {
			meta["verify"] = j.verify
		}
		c.write(fmt.Sprintf("%s/tasks/%s.json", name, j.id), c.json(map[string]any{
			"id": j.id, "subject": j.subject, "description": "Run: " + j.run, "activeForm": j.subject, "status": "pending",
			"blocks": list(blocks[j.id]), "blockedBy": list(j.after), "metadata": meta,
		}))
	}
	return filepath.Join(c.home, name)
}

func (c *captain) json(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		c.Fatal(err)
	}
	return string(raw)
}
