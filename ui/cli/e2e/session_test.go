package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// cycle hands in a plan with a cycle, as a planner does that is then told what is wrong with it.
const cycle = `echo '{"tasks": [{"title": "A", "depends_on": ["B"]}, {"title": "B", "depends_on": ["A"]}]}' | ocaptain task plan - 2>&1 | grep "wait for each other" || exit 1`

// handsIn returns the command of a planner that hands in a list of tasks, after a list that is refused.
func handsIn(list string) string {
	return "Build a ship\n\nRUN: " + cycle + "; echo '{\"tasks\": [" + strings.ReplaceAll(list, "\n", " ") + "]}' | ocaptain task plan -"
}

// paints returns the command of a task that writes a line which another task writes as well: its review lasts until both are handed in, so
// that the task that is merged last comes back, with conflict marks in its file.
func paints(colour string) string {
	return "RUN: test -e hull && sed -i /^[[:punct:]]/d hull || echo " + colour + " >hull\\nREVIEW: until test -e ~/painted; do sleep 0.3; done"
}

// inReview reports whether the work on a task is handed in.
func inReview(b fleet.Board, subject string) bool {
	return slices.ContainsFunc(b.Tasks, func(t tasks.State) bool { return t.Subject == subject && t.InReview() })
}

// crew is the agents of a session that meets everything that can go wrong.
type crew struct {
	config string // text of captain.yaml
	run    string // how the description of a task says which command to run
	tale   string // epic whose task takes more turns than allowed
	agent  string // words of the agent's command line
	forget string // files below the agent's home that are removed when the agent is killed
}

// builds has a session build a ship: the planner tries a cycle; one piece of work is rejected, one fails the check, two conflict when they
// are merged, one agent takes more turns than it may, and one is killed.
func (c *captain) builds(w crew) fleet.Dir {
	c.Helper()
	repo := c.freshRepository("kite")
	c.write("captain.yaml", w.config)
	list := strings.ReplaceAll(`
		{"id": "A", "title": "Lay the keel", "description": "RUN: echo keel >keel", "labels": ["wood"]},
		{"id": "B", "title": "Build a mast", "depends_on": ["A"], "description": "RUN: test -e ~/red && mv red ~/was || touch red; touch ~/red; echo mast >mast"},
		{"id": "C", "title": "Sew a sail", "depends_on": ["A"], "description": "RUN: test -e ~/sewn || echo rag >sail; test ! -e ~/sewn || echo sail >sail; touch ~/sewn\nREVIEW: grep -q sail sail", "acceptance": "it is sewn"},
		{"title": "Tell a tale", "description": "RUN: `+w.tale+`; echo tale >tale"},
		{"title": "Carve a figure", "description": "RUN: test -e ~/carved || { touch ~/carved; echo half >figure; sleep 301; }; echo figure >figure"},
		{"id": "P", "title": "Paint port", "depends_on": ["A"], "description": "`+paints("red")+`"},
		{"id": "S", "title": "Paint starboard", "depends_on": ["A"], "description": "`+paints("green")+`"},
		{"title": "Launch her", "depends_on": ["B", "C", "P", "S", "Tell a tale", "Carve a figure"], "description": "RUN: cat keel mast sail >ship; sort hull >>ship"}`, "RUN: ", w.run+": ")
	c.ocaptain("start", "--repo", repo, "--config", filepath.Join(c.home, "captain.yaml"), "--workers", "3", "--branch", "feat/ship", "--verify", "test ! -e red", "--detach", "--task", handsIn(list))
	d := c.voyages()[0]
	killed, painted := false, false
	c.until(d, "an agent is killed in the middle of a task, and both sides are handed in", func(b fleet.Board) bool {
		for i, s := range b.Ships {
			machine := (&fleet.Ship{Number: i, Built: 1}).MachineName(d.ID())
			if !killed && c.processOf(machine, " sleep 301 ") > 0 {
				files, _ := filepath.Glob(filepath.Join(c.home, ".local/share/ocaptain/ships", machine, "home", w.forget))
				for _, file := range files {
					_ = os.Remove(file)
				}
				killed = syscall.Kill(c.processOf(machine, w.agent), syscall.SIGKILL) == nil
			}
			if !painted && s.Role == fleet.Validator && inReview(b, "Paint port") && inReview(b, "Paint starboard") {
				painted = true
				c.write(filepath.Join(".local/share/ocaptain/ships", machine, "home/painted"), "")
			}
		}
		return killed && painted
	})
	b := c.allDone(d, 9)
	if out, want := c.ocaptain("logs"), "You have taken as many turns for task"; !strings.Contains(out, want) {
		c.Errorf("nobody was interrupted:\n%s", out)
	}
	if is := c.git(d.Workspace(), "show", "feat/ship:ship"); is != "keel\nmast\nsail\ngreen\nred" {
		c.Errorf("the branch has %q", is)
	}
	clashes := 0
	for _, s := range b.Ships {
		clashes += s.Conflicts
	}
	if clashes != 1 {
		c.Errorf("%d conflicts at the merge", clashes)
	}
	for i := range b.Tasks {
		x := &b.Tasks[i]
		if want := map[string]int{"1-2": 1, "1-3": 1}[x.ID]; x.Rejections != want || x.Type() != tasks.Epic && (x.HandIn == nil || x.HandIn.Review == nil || x.HandIn.Review.By != "validator-0") {
			c.Errorf("task %s was rejected %d times: %s", x.ID, x.Rejections, x.Reason)
		}
	}
	if out := c.ocaptain("pr"); !strings.Contains(out, "- Launch her (") || !strings.Contains(out, "    test ! -e red") {
		c.Errorf("the pull request says %q", out)
	}
	return d
}

// allDone waits until a session has n tasks, all completed and verified.
func (c *captain) allDone(d fleet.Dir, n int) fleet.Board {
	c.Helper()
	return c.until(d, "all is done and verified", func(b fleet.Board) bool {
		_, _, done := b.CountTasks()
		return b.Phase == fleet.Complete && done == n
	})
}
