package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"ocaptain/fleet/agent/loopback"
)

var (
	draftTold = regexp.MustCompile(`Write the files of the plan below (.*?), named by`)
	repoTold  = regexp.MustCompile(`"repo": ("[^"]*")`)
)

// planner is a brain that writes the plan that it is asked for. With wrong, its first plan has a cycle; with mends,
// it then corrects the plan.
func planner(wrong, mends bool) loopback.Brain {
	return func(r loopback.Request) loopback.Reply {
		first := strings.Join(r.Prompts(), "\n")
		draft, repo := draftTold.FindStringSubmatch(first), repoTold.FindStringSubmatch(first)
		if draft == nil || repo == nil {
			return loopback.Say("Nobody told me where to write.")
		}
		write := func(name, text string) loopback.Block {
			return loopback.Block{Tool: "Write", Input: map[string]any{"file_path": filepath.Join(draft[1], name), "content": text}}
		}
		task := func(blockedBy string) string {
			return fmt.Sprintf(`{"id":"1","subject":"Add a login","description":"Write login.txt","status":"pending","blocks":["2"],"blockedBy":[%s],"metadata":{"run":"echo login >login.txt"}}`, blockedBy)
		}
		said := r.Fresh()
		last := said[len(said)-1]
		switch {
		case r.Step() == 0:
			return loopback.Use("Glob", map[string]any{"pattern": "**/*"})
		case r.Step() == 1:
			blockedBy := ""
			if wrong {
				blockedBy = `"2"`
			}
			return loopback.Reply{Blocks: []loopback.Block{
				write("voyage.json", `{"name":"login","repo":`+repo[1]+`,"recommended_ships":1,"max_parallel_width":1,"total_tasks":2}`),
				write("spec.md", "## Objective\n\nNobody comes aboard who is not known.\n"),
				write("verify.sh", "#!/bin/bash\ntest -f ~/voyage/workspace/login.txt\n"),
				write("tasks/1.json", task(blockedBy)),
				write("tasks/2.json", `{"id":"2","subject":"Tell of it","description":"d","status":"pending","blocks":[],"blockedBy":["1"],"metadata":{"run":"echo see login.txt >README"}}`),
			}}
		case last.Type == "text" && strings.Contains(last.Text, "wait for each other") && mends:
			return loopback.Reply{Blocks: []loopback.Block{write("tasks/1.json", task(""))}}
		}
		return loopback.Say("A plan of two tasks.")
	}
}
