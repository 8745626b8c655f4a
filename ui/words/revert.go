package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
)

// Lookback says in lines what a revert does, and who has changed the same files since.
func Lookback(r api.Reverted) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, clean.Line(fmt.Sprintf(format, args...))) }
	for _, t := range r.Tasks {
		what := "it changed nothing"
		if t.Commit != "" {
			what = "commit " + ShortCommit(t.Commit) + ", " + Counted(t.Files, "file")
		}
		add("task %s, %s: %s", t.Task, t.Subject, what)
		for _, c := range t.Since {
			who := "commit " + ShortCommit(c.Commit)
			if c.Task != "" {
				who = "task " + c.Task
			}
			if len(c.Lines) > 0 {
				add("  %s changed the same lines since: %s; a task takes it back", who, Few(c.Lines))
				continue
			}
			add("  %s changed the same files since: %s", who, Few(c.Files))
		}
	}
	if len(r.Stay) > 0 {
		add("what depends on it stays, unless you revert that as well: task %s", strings.Join(r.Stay, ", "))
	}
	return lines
}
