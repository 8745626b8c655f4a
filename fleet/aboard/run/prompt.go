package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// maxOrders bounds what is read of the voyage's orders, in bytes.
const maxOrders = 256 << 10

// prompt says what the next turn is about, in short and as the agent gets it. One that begins a session begins with the
// voyage's orders, since nothing is known in it.
func (t *turns) prompt(v proto.Verdict, fresh bool) (what, text string, err error) {
	who := told.Agent{Role: t.ship.Role}
	what, rules := instruct(who, v), who.Rules()+" The orders are in ~/voyage/prompt.md. Nobody answers questions."
	if t.ship.Given {
		what, rules = strings.TrimSpace("What you were told is not done yet: go on with it. "+v.Why), givenRules
	}
	if v.Act == proto.ActListen {
		if what = t.captainMessage(); what == "" {
			return "", "", errNoMail
		}
	}
	if !fresh {
		return what, what + "\n\n" + rules + "\n", nil
	}
	orders, err := os.ReadFile(filepath.Join(string(t.home), "voyage", "prompt.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("the voyage's orders: %w", err)
	}
	text = string(orders[:min(len(orders), maxOrders)])
	text += fmt.Sprintf("\n## Now\n\nYou are %s of %s; your clone is %s. ", t.ship.Name, t.ship.Voyage, t.ship.Workspace)
	if first := t.ship.Prompt; !t.hadTurn() && first != agent.FirstPrompt(t.ship.Name, t.ship.Voyage) {
		text += first + "\n\n" // of one whose place it takes
	}
	if v.Act == proto.ActContinue {
		text += "You have been at work before, in a session that is gone: look at what your clone holds before you go on.\n\n" + t.before().Report() + "\n"
	}
	return what, text + what + "\n\n" + rules + "\n", nil
}

// hadTurn reports whether a turn on this machine went well before.
func (t *turns) hadTurn() bool {
	_, err := os.Stat(t.home.Session())
	return err == nil
}

// givenRules restates what matters to an agent that is told what to do.
const givenRules = "Nobody answers questions. Do not push, and do not switch branches. End your turn when you are done, with a summary of what you did."

// instruct says in words what a verdict asks for.
func instruct(a told.Agent, v proto.Verdict) string {
	text := a.Ready(v.Ready)
	if v.Act == proto.ActContinue {
		text = a.Held(v.Held)
	}
	return strings.TrimSpace(text + " " + v.Why)
}
