package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
)

// otherAgent is an agent without hooks, as a captain may have one: every start is a turn.
// It reads its prompt, works by "ocaptain task", and prints JSON lines. $1 is "new" or
// "again", $2 the session. The task says what it does; ship-2 only ever talks.
const otherAgent = `#!/bin/bash
prompt=$(cat) session=$2
say() { printf '{"type":"%s","text":"%s","session":"%s","input_tokens":10,"output_tokens":2}\n' "$1" "$2" "$session"; }
say say "$1 turn"
if [ "$OCAPTAIN_SHIP" = ship-2 ]; then
	say say "I would rather talk."
	exit 0
fi
if [ "$1" = new ]; then
	case $prompt in *"You are a ship of $OCAPTAIN_VOYAGE"*"ocaptain task claim"*) ;; *) say failed "I was not told the orders"; exit 1 ;; esac
fi
case $prompt in
*"You hold task "*)
	id=${prompt##*You hold task }
	id=${id%%:*}
	;;
*)
	out=$(ocaptain task claim) || { say note "nothing for me"; exit 0; }
	id=${out#claimed task }
	id=${id%%:*}
	case $out in *"in two turns"*) say say "That was enough for a turn."; exit 0 ;; esac
	;;
esac
text=$(ocaptain task list "$id")
case $text in *"fails once"*) if ! [ -e ~/failed ]; then touch ~/failed; echo "out of memory" >&2; exit 3; fi ;; esac
run=$(sed -n 's/^Run: //p' <<<"$text" | head -n 1)
say tool "sh $run"
bash -c "$run"
while ! out=$(ocaptain task complete "$id" --summary "did it" 2>&1); do
	case $out in
	*onflict*) say error "a conflict"; sed -i -E '/^(<{7}|={7}|>{7}|[|]{7})/d' list ;;
	*) say failed "cannot complete"; exit 1 ;;
	esac
done
say result "done"
echo "a word that is no JSON"
`

func (c *captain) ownAgent(name string, lines string) {
	c.Helper()
	c.ownProgram(name, otherAgent, lines)
}

// ownProgram configures an agent whose program is a script.
func (c *captain) ownProgram(name, program, lines string) {
	c.Helper()
	// The install command gets the program as an argument, so that nothing has to be fetched.
	script, err := json.Marshal(program)
	if err != nil {
		c.Fatal(err)
	}
	const file = ".config/ocaptain/config.yaml"
	before, _ := os.ReadFile(filepath.Join(c.home, file))
	c.write(file, string(before)+"agents:\n  "+name+":\n"+lines+
		"    version: [test, -x, .ocaptain/bin/coder]\n"+
		`    install: [sh, -c, 'printf "%s" "$1" >~/.ocaptain/bin/coder && chmod +x ~/.ocaptain/bin/coder', install, `+string(script)+"]\n")
}

// TestOwnAgent sails with an agent of the captain's own that takes turns: one ship's
// talks and does nothing, and is told of work less and less often, the others do everything, some
// tasks in two turns, one that fails on the way, some in conflict with each other.
func TestOwnAgent(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "CODER_KEY=s3cret-coder-key", "OTHER_KEY=no")
	c.ownAgent("mine", "    command: [coder, new, \"{session}\"]\n    resume: [coder, again, \"{session}\"]\n    prompt: stdin\n    output: jsonl\n    env: [CODER_KEY]\n")
	jobs := []job{{id: "1", subject: "Begin in two turns", run: "echo begin >list; echo $CODER_KEY${OTHER_KEY} >key"}}
	for i := 2; i <= 7; i++ {
		subject := fmt.Sprintf("Add %d", i)
		if i%2 == 0 {
			subject += " in two turns"
		}
		if i == 5 {
			subject += ", which fails once"
		}
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: subject, run: fmt.Sprintf("sleep 0.5; echo %d >>list", i), after: []string{"1"}})
	}
	jobs = append(jobs, job{id: "8", subject: "End", run: "echo end >>list", after: []string{"2", "3", "4", "5", "6", "7"}})
	d := c.sail(c.plan("own", "", "#!/bin/bash\nset -eux\ncd ~/voyage/workspace\ntest \"$(wc -l <list)\" = 8\ntest \"$(cat key)\" = s3cret-coder-key\n", jobs), "-n", "3", "--agent", "mine")
	board := c.until(d, "over", func(b fleet.Board) bool { return b.Phase.IsOver() })
	checkVoyage(t, c, d, board, jobs)

	events, err := os.ReadFile(d.Events())
	if talker := board.Ships[2]; err != nil || talker.Completed > 0 || !strings.Contains(string(events), "was told of ready tasks 3 times and has claimed none") {
		t.Errorf("the talker is %+v", talker.Status)
	}
	for i := range 2 {
		name := board.Ships[i].Name
		c.until(d, name+" is done", func(b fleet.Board) bool { return b.Ships[i].Status.Word == fleet.Done })
	}
	var said, failed, resumed, talked int
	for _, s := range board.Ships {
		for _, l := range c.logLines(d, s.Name) {
			switch {
			case l.Kind == "say" && l.Text == "again turn":
				said++
			case l.Kind == "out" && strings.Contains(l.Text, "I would rather"), strings.Contains(l.Text, "s3cret-coder-key"):
				t.Errorf("a line of %s is %q", s.Name, l.Text)
			case l.Kind == "say" && l.Text == "I would rather talk.":
				talked++
			case l.Kind == proto.KindAgentExited && strings.Contains(string(l.Data), "out of memory"):
				failed++
			case l.Kind == proto.KindAgentStarted && strings.Contains(string(l.Data), `"resumed":true`):
				resumed++
			}
		}
	}
	if said == 0 || failed == 0 || resumed == 0 || talked < 3 || talked > 4 {
		t.Errorf("%d resumed turns spoke, %d failed turns, %d resumed, %d turns of talk", said, failed, resumed, talked)
	}
}

// logLines reads a ship's log.
func (c *captain) logLines(d fleet.Dir, ship string) []fleet.LogLine {
	c.Helper()
	raw, err := os.ReadFile(d.LogFile(ship))
	if err != nil {
		c.Fatal(err)
	}
	var lines []fleet.LogLine
	for line := range strings.Lines(string(raw)) {
		var l fleet.LogLine
		if json.Unmarshal([]byte(line), &l) == nil {
			lines = append(lines, l)
		}
	}
	return lines
}
