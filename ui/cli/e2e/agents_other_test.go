package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/fleet"
)

// otherAgent is an agent without hooks, as a captain may have one: every start is a turn. It reads its prompt, works
// by "ocaptain task", and prints JSON lines. $1 is "new" or "again", $2 the session. The description of a task says
// what the agent does; the agent of ship-2 only talks.
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
	// The install command gets the program as an argument, so that it need not fetch anything.
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
