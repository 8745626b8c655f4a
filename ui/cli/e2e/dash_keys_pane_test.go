//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

func taskKeys(k *keyboard, c *captain, d fleet.Dir) {
	const tasks = "tasks"
	k.key(dashboard, "2", "the tasks", bottom("enter detail"))
	k.key(tasks, "v", "a tree", has("· tree", "└─ ◇ 5  Launch her"))
	k.key(tasks, "v", "a graph", has("· graph", "level 1"))
	k.key(lists, "g", "the first task", has("level 1"))
	for _, p := range [][2]string{{"l", "←"}, {"→", "h"}} {
		k.key(tasks, p[0], "more to the right", hasNot("level 1 ·"))
		k.key(tasks, p[1], "the left again", has("level 1 ·"))
	}
	k.key(tasks, "v", "a list", hasNot("· graph", "· tree"))
	k.key(tasks, "u", "ready tasks only", all(has("4  Build part 4"), hasNot("1  Build part 1", "5  Launch her")))
	k.key(tasks, "u", "all tasks", has("1  Build part 1"))
	k.key(tasks, "c", "that completed ones are hidden", has("completed hidden"))
	k.key(everywhere, "esc", "all tasks", hasNot("completed hidden"))
	k.key(lists, "G", "the last task", lit("5  Launch her"))
	k.key(tasks, "b", "what blocks it", has("why 5", "Root causes", "ready, but no ship has"))
	k.key(everywhere, "esc", "the tasks", hasNot("Root causes"))
	k.key(lists, "g", "the first task", lit("1  Build part 1"))
	owner := ""
	b, err := fleet.LoadBoard(d)
	if err != nil {
		k.Fatal(err)
	}
	for _, s := range b.Ships {
		if s.Task == "1" {
			owner = s.Name
		}
	}
	k.key(tasks, "R", "a question", has("Take task 1 from "+owner+"?"))
	k.key(everywhere, "esc", "no dialog", hasNot("Take task 1"))
	k.key(tasks, "A", "that nothing waits", has("task 1 does not wait for you"))
	k.key(tasks, "X", "that nothing waits", has("task 1 does not wait for you"))
	k.key(tasks, "P", "that agents propose nothing", has("there is no proposal"))
	k.key(tasks, "t", "that it is not done", has("task 1 is not completed"))
	for _, q := range [][2]string{{"n", "New task"}, {"e", "priority: 2"}, {"S", "Split task 1"}, {"H", "Take task 1 from " + owner + "?"}, {"D", "Cancel "}} {
		k.key(tasks, q[0], "a question", has(q[1]))
		k.key(everywhere, "esc", "no dialog", hasNot(q[1]))
	}
	k.key(tasks, "O", "its ship", all(bottom("space mark"), has("[4] "+owner)))
	k.key(lists, "g", "ship-0", has("[4] ship-0"))
}

// pageKeys presses the keys of the detail and of the diff, which have more rows than fit.
func pageKeys(k *keyboard) {
	const pages = "task detail, diff and costs"
	k.key(dashboard, "d", "the diff of the ship", has("ship-0, not merged yet", "3 files", "+row 1"))
	first := func(row string) sight { // below the name of the file, which stays in place
		return func(v view) bool { return strings.Contains(strings.Split(v.text, "\n")[3], row) }
	}
	begin := strings.Split(k.look().text, "\n")[3:6]
	k.key(pages, "j", "one row on", first(begin[1]))
	k.key(pages, "↓", "one row on", first(begin[2]))
	k.key(pages, "k", "one row back", first(begin[1]))
	k.key(pages, "↑", "one row back", first(begin[0]))
	for _, p := range [][2]string{{"ctrl-d", "ctrl-u"}, {"pgdown", "pgup"}, {"space", "g"}, {"G", "home"}, {"end", "g"}} {
		k.key(pages, p[0], "further on", func(v view) bool { return !first(begin[0])(v) && has("not merged yet")(v) })
		k.key(pages, p[1], "the first row", first(begin[0]))
	}
	k.key(pages, "n", "the second file", has("│made-"))
	k.press("n", "the third file", has("│second-"))
	k.key(pages, "N", "the second file", has("│made-"))
	k.press("N", "the first file", first(begin[0]))
	k.key(pages, "S", "that nothing is to be settled", has("nothing that is shown is to be settled"))
	k.key(pages, "A", "that nothing waits", has("waits for"))
	k.key(pages, "enter", "the dashboard", has("[1] Agents"))

	k.key(dashboard, "2", "the tasks", bottom("enter detail"))
	k.key(lists, "g", "the first task", lit("1  Build part 1"))
	k.key("tasks", "enter", "the detail", has("─ Task 1 ─", "History", "Commits", "Changes", "claimed"))
	k.key(pages, "o", "that there is no diff yet", has("cannot open the diff of 1"))
	k.key(everywhere, "q", "the dashboard", has("[1] Agents"))
}

func shipKeys(t *testing.T, k *keyboard, c *captain, d fleet.Dir) {
	const view = "live view of a ship"
	k.key(dashboard, "4", "the live view", bottom("k scroll back"))
	task := c.ship(t, d, "ship-0").Task
	k.key(view, "enter", "the agent alone", all(has("at the gate of "+task), hasNot("[1] Agents")))
	k.press("C-q", "the dashboard", has("[1] Agents", "● live"))
	k.key(view, "i", "that keys go to the ship", has("● LIVE ship-0"))
	k.press("C-q", "that keys are the dashboard's", hasNot("● LIVE"))

	up := func(n int) sight { return has(fmt.Sprintf("▲ history, %d line", n)) }
	k.key(view, "k", "one line back", up(1))
	k.key(view, "↑", "two lines back", up(2))
	k.key(view, "j", "one line back", up(1))
	k.key(view, "↓", "the newest line", hasNot("▲ history"))
	for _, p := range [][2]string{{"pgup", "pgdown"}, {"shift-pgup", "shift-pgdown"}, {"ctrl-u", "ctrl-d"}} {
		k.key(view, p[0], "a part of the history", has("▲ history"))
		k.key(view, p[1], "the newest line", all(hasNot("▲ history"), has("● live")))
	}
	for _, p := range [][2]string{{"g", "G"}, {"home", "end"}} {
		k.key(view, p[0], "the oldest line", has("▲ history", "ocaptain: claimed task "+task))
		k.key(view, p[1], "the newest line", all(hasNot("▲ history"), has("● live")))
	}
	for _, p := range [][2]string{{"]", "1"}, {"J", "2"}, {"[", "1"}, {"K", "0"}} {
		k.key(view, p[0], "another ship", all(has("[4] ship-"+p[1], "● live", "at the gate of "+c.ship(t, d, "ship-"+p[1]).Task), bottom("k scroll back")))
	}
}

func wallKeys(k *keyboard) {
	const wall = "wall"
	at := func(ship string) sight { return bold(ship + " ─") }
	k.key(dashboard, "o", "all ships", all(at("ship-0"), bottom("look closer"), func(v view) bool { return strings.Count(v.text, "at the gate of") == 3 }))
	for _, p := range [][2]string{{"l", "1"}, {"h", "0"}, {"→", "1"}, {"←", "0"}, {"tab", "1"}, {"h", "0"}, {"j", "2"}, {"k", "0"}, {"↓", "2"}, {"↑", "0"}} {
		k.key(wall, p[0], "another tile", at("ship-"+p[1]))
	}
	k.key(wall, "m", "that it takes none", has("agent script of ship-0 takes no messages"))
	k.key(wall, "-", "smaller tiles", func(v view) bool { return strings.Count(strings.Split(v.text, "\n")[1], "─ ship-") >= 2 })
	k.key(wall, "+", "larger tiles", func(v view) bool { return strings.Count(strings.Split(v.text, "\n")[1], "─ ship-") == 2 })
	k.key(wall, "+", "larger tiles", has("page 1 of"))
	k.key(wall, "+", "one tile", has("page 1 of 3"))
	for _, p := range [][2]string{{"pgdown", "2"}, {"ctrl-d", "3"}, {"pgup", "2"}, {"ctrl-u", "1"}} {
		k.key(wall, p[0], "another page", has("page "+p[1]+" of 3"))
	}
	k.key(wall, "enter", "the agent alone", all(has("at the gate of"), hasNot("page 1 of 3")))
	k.press("C-q", "the wall", has("page 1 of 3"))
	k.key(wall, "f", "the ship alone", all(has("[4] ship-0"), hasNot("page 1 of 3", "[1] Agents")))
	k.key(everywhere, "esc", "the dashboard", has("[1] Agents"))
	k.key(dashboard, "o", "the wall", has("page 1 of 3"))
	k.key(wall, "o", "the dashboard", has("[1] Agents"))
}

func logKeys(t *testing.T, k *keyboard, c *captain) {
	const logs = "logs, full screen"
	k.key(dashboard, "3", "the logs", bottom("enter full screen"))
	k.key("logs", "enter", "the logs alone", all(has("a all · w worker", "follow on"), hasNot("[1] Agents")))
	k.key(logs, "v", "no line of a validator", has("role validator"))
	k.key(logs, "w", "the workers", has("role worker", "at the gate of"))
	k.key(logs, "p", "no line of a planner", has("role planner"))
	k.key(logs, "a", "all roles", all(hasNot("role "), has("at the gate of")))
	for n := range 10 {
		k.key(logs, fmt.Sprint(n), "one ship alone", has(fmt.Sprintf("on · ship-%d ·", n)))
		k.press(fmt.Sprint(n), "all ships", hasNot("on · ship-"))
	}
	k.press("1", "ship-1 alone", all(has("[ship-1]", "on · ship-1 ·"), hasNot("[ship-0]", "[ship-2]")))
	k.press("0", "two ships", all(has("on · ship-0, ship-1 ·"), hasNot("[ship-2]")))
	k.key(everywhere, "esc", "all ships", hasNot("on · ship-"))
	k.key(logs, "g", "that a number is awaited", bottom("ship _"))
	k.press("0 2", "ship-2 alone", all(has("[ship-2]", "on · ship-2 ·"), hasNot("[ship-0]", "[ship-1]")))
	k.key(everywhere, "esc", "all ships", hasNot("on · ship-"))
	k.press("g g", "the oldest line", has("paused", "is provisioned as"))
	k.key(logs, "G", "the newest line", has("follow on"))
	k.key(logs, "home", "the oldest line", has("paused", "is provisioned as"))
	k.key(logs, "end", "the newest line", has("follow on"))
	k.key(logs, "s", "that it stands", has("paused"))
	k.key(logs, "s", "that it follows", has("follow on"))
	for _, p := range [][2]string{{"k", "j"}, {"↑", "↓"}} {
		before := selectedRow(k.look())
		k.key(logs, p[0], "another line", func(v view) bool { return has("paused")(v) && selectedRow(v) >= 0 && selectedRow(v) != before })
		now := selectedRow(k.look())
		k.key(logs, p[1], "the line below", func(v view) bool { return selectedRow(v) == now+1 })
		k.key(logs, "G", "the newest line", has("follow on"))
	}
	for _, p := range [][2]string{{"ctrl-u", "ctrl-d"}, {"pgup", "pgdown"}} {
		was := k.look().text
		k.key(logs, p[0], "earlier lines", func(v view) bool { return has("paused")(v) && body(v.text) != body(was) })
		k.key(logs, p[1], "the last lines", func(v view) bool { return body(v.text) == body(was) })
		k.key(logs, "G", "the newest line", has("follow on"))
	}
	k.key(logs, "W", "wrapped lines", has("wrap on"))
	k.key(logs, "W", "cut lines", hasNot("wrap on"))
	k.key(logs, "t", "no time", has("time off"))
	k.key(logs, "t", "the time", hasNot("time off"))
	for _, p := range [][2]string{{"l", "h"}, {"→", "←"}} {
		k.key(logs, p[0], "more to the right", has("+8 →"))
		k.key(logs, p[1], "the left again", hasNot("+8 →"))
	}
	k.key(logs, "/", "the filter", bottom("enter keeps"))
	k.enter("the gate")
	k.press("Enter", "three lines", has("/the gate/ 3 of"))
	k.key(logs, "N", "an earlier match", has("paused"))
	row := selectedRow(k.look())
	k.key(logs, "N", "an earlier match", func(v view) bool { return selectedRow(v) == row-1 })
	k.key(logs, "n", "the later match", func(v view) bool { return selectedRow(v) == row })
	k.key(logs, "C", "lines around", has("context"))
	k.key(logs, "C", "all lines", has("all lines"))
	k.key(everywhere, "esc", "no filter", hasNot("/the gate/"))
	k.key(logs, "M", "a line drawn", has("──"))
	k.key(logs, "G", "the newest line", has("follow on"))
	k.key(logs, "y", "that it is copied", has("the line is copied"))
	if got := k.tmux("show-buffer"); !strings.Contains(got, "ship-") {
		t.Errorf("the clipboard has %q, not a line of the log", got)
	}
	k.key(logs, "ctrl-s", "that they are saved", has("lines in "))
	saved, _ := filepath.Glob(filepath.Join(c.home, "ocaptain-*.log"))
	if len(saved) != 1 {
		t.Fatalf("saved logs are %q", saved)
	}
	raw, err := os.ReadFile(saved[0])
	if err != nil || strings.Count(string(raw), "at the gate of") != 3 || strings.Count(string(raw), "\n") < 450 {
		t.Errorf("what was saved has %d lines, %v", strings.Count(string(raw), "\n"), err)
	}
	k.key(logs, "f", "the dashboard", has("[1] Agents"))
	k.key("logs", "enter", "the logs alone", hasNot("[1] Agents"))
	k.key(logs, "enter", "the dashboard", has("[1] Agents"))
}

// body returns the text of a screen without its first two rows and its last row, which show changing counts.
func body(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[2:len(lines)-3], "\n")
}

// selectedRow returns the row that is highlighted over most of its width, -1 for none.
func selectedRow(v view) int {
	cols, rows := v.cells.Size()
	for y := range rows {
		n := 0
		for x := range cols {
			if isLit(v.cells.CellAt(x, y)) {
				n++
			}
		}
		if n > cols/2 {
			return y
		}
	}
	return -1
}

// leavingKeys ends the dashboard in every way, and checks that each leaves the terminal as it was.
func leavingKeys(t *testing.T, k *keyboard, c *captain, d fleet.Dir) {
	k.key(everywhere, "ctrl-z", "the shell", ashore)
	k.run("fg")
	k.see("the dashboard", has("[1] Agents", "● live"))
	k.key(everywhere, "ctrl-c", "the shell", all(ashore, hasNot("[1] Agents")))
	for _, s := range []string{"ship-0", "ship-1", "ship-2"} {
		if got := c.ship(t, d, s).Status.Word; got != fleet.Working {
			t.Errorf("%s is %s after the dashboard has ended", s, got)
		}
	}
}
