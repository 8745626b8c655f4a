//go:build long

package e2e

import (
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/fleet"
	"ocaptain/ui/dash"
)

// untested lists the keys of the table that were not pressed.
func (k *keyboard) untested() []string {
	var left []string
	where := ""
	for line := range strings.Lines(dash.KeyTable()) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		if name := strings.TrimSpace(strings.Trim(cells[0], "|")); name != "" {
			where = name
		}
		for _, key := range strings.Fields(cells[1]) {
			if key = strings.Trim(key, "`"); !k.pressed[where+": "+key] {
				left = append(left, where+": "+key)
			}
		}
	}
	return left
}

// bold returns a sight of a text in bold: the title of the pane that has the focus.
func bold(text string) sight {
	return func(v view) bool {
		for y, line := range strings.Split(v.text, "\n") {
			if at := strings.Index(line, text); at >= 0 {
				return v.cells.CellAt(len([]rune(line[:at])), y).Style.Attrs&sgr.Bold != 0
			}
		}
		return false
	}
}

// rich makes the task's ship print 150 lines and a long one, and change two long files.
const rich = "seq -f 'row %g' 150 | tee long-$OCAPTAIN_TASK; cp long-$OCAPTAIN_TASK second-$OCAPTAIN_TASK; seq -s ' ' 60 | tr -d '\\n'; echo"

// TestEveryKey presses every key of the dashboard's table against ships at work.
func TestEveryKey(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := gatedPlan(4)
	for i := range jobs {
		jobs[i].run = gated(rich)
	}
	d := c.sailGated(t, "keys", 3, jobs)
	k := &keyboard{newWindow(t, c, 120, 40), map[string]bool{}}
	k.run(c.program)
	k.see("the dashboard", has("[1] Agents", "[2] Tasks", "[3] Logs", "[4] ship-0", "● live", "at the gate of", "● helm"))

	agentKeys(t, k, c, d)
	everywhereKeys(t, k, d)
	listKeys(k)
	taskKeys(k, c, d)
	pageKeys(k)
	shipKeys(t, k, c, d)
	wallKeys(k)
	logKeys(t, k, c)
	leavingKeys(t, k, c, d)

	if left := k.untested(); len(left) > 0 {
		t.Errorf("keys that no test presses:\n%s", strings.Join(left, "\n"))
	}
}

func agentKeys(t *testing.T, k *keyboard, c *captain, d fleet.Dir) {
	const agents = "agents"
	task := c.ship(t, d, "ship-0").Task
	k.key(agents, "space", "a mark, and the next ship", all(has("1 marked"), has("[4] ship-1")))
	k.key(everywhere, "esc", "no mark", hasNot("marked"))
	k.key(dashboard, "m", "that it takes none", has("agent script of ship-1 takes no messages"))
	k.key(dashboard, "M", "that none takes any", has("no ship takes messages now"))
	k.key(lists, "k", "ship-0", has("[4] ship-0"))

	k.key(agents, "enter", "the agent alone", all(has("at the gate of "+task), hasNot("[1] Agents")))
	k.enter("typed while attached")
	c.shows(t, d, "ship-0", "typed while attached")
	k.press("C-q", "the dashboard", has("[1] Agents", "[4] ship-0"))
	k.key(dashboard, "-", "the agent again", all(has("at the gate of "+task), hasNot("[1] Agents")))
	k.press("C-q", "the dashboard", has("[1] Agents", "[4] ship-0"))

	k.key(agents, "i", "that keys go to the ship", all(has("● LIVE ship-0"), bottom("ctrl-q stop typing")))
	k.enter("+ here q?")
	k.see("what was typed", has("+ here q?"))
	c.shows(t, d, "ship-0", "typed while attached+ here q?")
	k.key("typing to a ship", "ctrl-q", "that keys are the dashboard's", all(hasNot("● LIVE"), bottom("? help")))
	k.key(dashboard, "1", "the agents", bottom("space mark"))

	k.key(agents, "l", "the logs of ship-0 alone", all(hasNot("[1] Agents", "[ship-1]"), has("[ship-0]", "on · ship-0 ·", "a all · w worker")))
	k.key(everywhere, "esc", "all ships", hasNot("on · ship-0 ·"))
	k.key(everywhere, "esc", "the dashboard", has("[1] Agents"))
	k.key(dashboard, "1", "the agents", bottom("space mark"))
	k.key(agents, "t", "its task", all(bottom("enter detail"), lit(task+"  Build part "+task)))
	k.key(dashboard, "1", "the agents", bottom("space mark"))
	k.key(agents, "I", "all about it", has("Provisioning", "last seen", "/ocaptain/run/"))
	k.key(everywhere, "esc", "no dialog", hasNot("Provisioning"))
	k.key(agents, "x", "a question", has("Interrupt the agent on ship-0?"))
	k.press("n", "no dialog", hasNot("Interrupt the agent"))
	k.key(agents, "R", "a question", has("Give ship-0 a new machine?", "Type ship-0 to go on", "not merged"))
	k.key(everywhere, "esc", "no dialog", hasNot("a new machine?"))
	k.key(agents, "D", "a question", has("Sink ship-0?", "Type ship-0 to go on"))
	k.press("n o Enter", "that no is not enough", has("Sink ship-0?", "that is not ship-0"))
	k.key(everywhere, "esc", "no dialog", hasNot("Sink ship-0?"))
}

func everywhereKeys(t *testing.T, k *keyboard, d fleet.Dir) {
	k.key(everywhere, "?", "the help", has("Keys: agents"))
	k.press("q", "no dialog", hasNot("Keys: agents"))
	for _, key := range []string{":", "ctrl-p"} {
		k.key(everywhere, key, "the palette", has("Actions", "attach to the selected ship"))
		k.key(everywhere, "esc", "no dialog", hasNot("Actions"))
	}
	k.key(everywhere, "!", "that nobody needs the captain", has("nothing needs you"))
	k.key(everywhere, "V", "the voyages", has("Voyages", "● sailing · 3 ships", strings.TrimPrefix(d.ID(), "voyage-")))
	k.key(everywhere, "esc", "no dialog", hasNot("type to search"))
	k.key(everywhere, "@", "the messages", has("─ Messages ─", "nothing needs you"))
	k.key(everywhere, "esc", "no dialog", hasNot("─ Messages ─"))
	for _, theme := range []string{"light", "contrast", "terminal", "mono", "dark"} {
		k.key(everywhere, "T", "another theme", has("theme: "+theme))
	}

	for key, foot := range map[string]string{"1": "space mark", "2": "enter detail", "3": "enter full screen", "4": "k scroll back"} {
		k.key(dashboard, key, "another focus", bottom(foot))
	}
	k.key(dashboard, "1", "the agents", bottom("space mark"))
	for _, foot := range []string{"enter detail", "enter full screen", "k scroll back", "space mark"} {
		k.key(dashboard, "tab", "the next pane", bottom(foot))
	}
	k.key(dashboard, "shift-tab", "the previous pane", bottom("k scroll back"))
	k.key(dashboard, "f", "the ship alone", all(has("[4] ship-0"), hasNot("[1] Agents", "[3] Logs")))
	k.key(everywhere, "q", "the dashboard, not the end", has("[1] Agents"))
	k.key(dashboard, "1", "the agents", bottom("space mark"))

	k.key(dashboard, "/", "the filter", bottom("enter keeps"))
	k.enter("ship-2")
	k.see("one ship", has("/ship-2/ 1 of 3"))
	k.press("Enter", "the end of typing", all(bottom("space mark"), has("/ship-2/ 1 of 3", "[4] ship-2")))
	k.key(everywhere, "esc", "all ships", hasNot("/ship-2/"))
	k.key(lists, "g", "ship-0", has("[4] ship-0"))
	k.key(dashboard, "2", "the tasks", bottom("enter detail"))
	k.key(lists, "g", "the first task", lit("1  Build part 1"))
	k.key(dashboard, "/", "the filter", bottom("enter keeps"))
	k.enter("part [12]")
	k.press("Enter", "two tasks", all(has("1  Build part 1", "2  Build part 2"), hasNot("5  Launch her")))
	k.key(dashboard, "n", "the next match", lit("2  Build part 2"))
	k.key(dashboard, "N", "the previous match", lit("1  Build part 1"))
	k.key(everywhere, "esc", "all tasks", has("5  Launch her"))

	k.key(dashboard, "1", "the agents", bottom("space mark"))
	k.key(dashboard, "y", "that it is copied", has("the command that attaches to ship-0 is copied"))
	if got, want := k.tmux("show-buffer"), "ocaptain shell "+d.ID()+" ship-0"; got != want {
		t.Errorf("the clipboard has %q, not %q", got, want)
	}
	k.key(dashboard, "s", "the question what to sail", has("add a ship to this voyage", "sail a plan: a new voyage"))
	k.key(everywhere, "esc", "no dialog", hasNot("sail a plan: a new voyage"))
}

func listKeys(k *keyboard) {
	k.key(dashboard, "1", "the agents", bottom("space mark"))
	for _, p := range [][2]string{
		{"j", "1"},
		{"↓", "2"},
		{"k", "1"},
		{"↑", "0"},
		{"G", "2"},
		{"g", "0"},
		{"end", "2"},
		{"home", "0"},
		{"ctrl-d", "1"},
		{"pgdown", "2"},
		{"ctrl-u", "1"},
		{"pgup", "0"},
	} {
		k.key(lists, p[0], "another ship", all(has("[4] ship-"+p[1]), lit("ship-"+p[1])))
	}
}
