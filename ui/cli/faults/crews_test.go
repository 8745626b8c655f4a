package faults

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"ocaptain/ui/cli/clitest"
)

// crew says which roles the ships of a voyage have.
type crew struct {
	kind    string
	names   []string // names of the first ships
	rest    string   // prefix of the names of the other ships
	review  bool     // validators review the work
	session bool     // a planner breaks the epic down
}

var crews = []crew{
	{kind: "plan", rest: "ship"},
	{kind: "reviewed plan", names: []string{"validator-0"}, rest: "ship", review: true},
	{kind: "session", names: []string{"planner-0", "validator-0"}, rest: "worker", review: true, session: true},
}

// crewOf returns the crew of a seed. The voyages of cases sailed with a plan.
func crewOf(seed uint64) crew {
	if caseOf(seed).seed == seed {
		return crews[0]
	}
	return crews[seed%uint64(len(crews))]
}

// name returns the name of the ship with a number.
func (c crew) name(number int) string {
	if number < len(c.names) {
		return c.names[number]
	}
	return fmt.Sprint(c.rest, "-", number-len(c.names))
}

// setOut writes the tasks down, and returns the arguments with which the captain sails. One in three reviews rejects the first try.
func (v *voyage) setOut(repo string, tasks []clitest.Task, ships int) []string {
	for i := range tasks {
		if t := &tasks[i]; v.crew.review && i%3 == 1 {
			t.Review = fmt.Sprintf("test -e ~/saw-%s || { touch ~/saw-%s; echo not yet; exit 1; }", t.ID, t.ID)
		}
	}
	if v.crew.session {
		return v.start(repo, tasks, ships)
	}
	dir := filepath.Join(v.home, "plan")
	if err := clitest.Plan(dir, repo, verify(v.plan), tasks); err != nil {
		v.Fatal(err)
	}
	args := []string{"sail", dir, "-n", fmt.Sprint(ships)}
	if v.crew.review {
		args = append(args, "--review")
	}
	return args
}

// start begins a session with all tasks as one epic: the planner hands in the tasks as they were drawn.
func (v *voyage) start(repo string, tasks []clitest.Task, workers int) []string {
	type part struct {
		ID     string   `json:"id"`
		Title  string   `json:"title"`
		On     []string `json:"depends_on,omitempty"`
		Group  string   `json:"group,omitempty"`
		Run    string   `json:"run"`
		Verify string   `json:"verify,omitempty"`
		Review string   `json:"review,omitempty"`
	}
	var parts []part
	for _, t := range tasks {
		parts = append(parts, part{t.ID, t.Subject, t.After, t.Group, t.Run, t.Verify, t.Review})
	}
	raw, err := json.Marshal(map[string]any{"tasks": parts})
	if err != nil {
		v.Fatal(err)
	}
	var all []string
	for i := range v.plan.Tasks {
		t := &v.plan.Tasks[i]
		t.ID = "1-" + t.ID
		for j := range t.After {
			t.After[j] = "1-" + t.After[j]
		}
		all = append(all, "test -s "+t.File)
	}
	v.branch = "feat/parts"
	epic := "# Make the parts\nocaptain task plan - <<'END'\n" + string(raw) + "\nEND"
	return []string{"start", "--repo", repo, "--task", epic, "--workers", fmt.Sprint(workers), "--branch", v.branch, "--verify", strings.Join(all, " && ")}
}
