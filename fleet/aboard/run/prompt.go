package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/proto"
)

// maxOrders bounds how much of the voyage's prompt file is read, in bytes.
const maxOrders = 256 << 10

// prompt returns the prompt of the next turn, and in what a short description of it. The first prompt of a session
// begins with the voyage's orders, since the agent does not know them yet.
func (t *turns) prompt(v proto.Verdict, fresh bool) (what, text string, err error) {
	who := t.agentTold()
	what, rules := who.Next(v), who.Rules()
	if !t.ship.Given {
		rules += " The orders are in ~/voyage/prompt.md. Nobody answers questions."
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
	if first := t.ship.Prompt; !t.hadTurn() && first != who.First(t.ship.Name, t.ship.Voyage) {
		text += first + "\n\n" // begin with the text about the session that this one replaces
	}
	if v.Act == proto.ActContinue {
		text += "You have been at work before, in a session that is gone: look at what your clone holds before you go on.\n\n" + t.before().Report() + "\n"
	}
	return what, text + what + "\n\n" + rules + "\n", nil
}

// hadTurn reports whether any turn on this machine has ended well.
func (t *turns) hadTurn() bool {
	_, err := os.Stat(t.home.Session())
	return err == nil
}

// agentTold describes the agent for package told.
func (r *runner) agentTold() told.Agent {
	return told.Agent{Role: r.ship.Role, Tools: r.agent.Hooks, Given: r.ship.Given}
}
