package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/helm/rights"
)

// The page about trust has the table of rights by which helm judges requests of ships.
func TestTrustHasRights(t *testing.T) {
	var b strings.Builder
	b.WriteString("| |")
	for _, q := range rights.Requests {
		b.WriteString(" " + string(q) + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(rights.Requests)+1) + "\n")
	for _, role := range rights.Roles {
		b.WriteString("| " + role + " |")
		for _, q := range rights.Requests {
			b.WriteString(" " + mayText(role, q) + " |")
		}
		b.WriteByte('\n')
	}
	page, err := os.ReadFile("help/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+b.String()+"\n") {
		t.Errorf("help/trust.md must have this table:\n%s", b.String())
	}
}

// staysHere lists the commands that send no work out of this machine. The author of a new command adds it here, or says in its
// annotation what goes out; a command that sends work must send only branches, which hold nothing that guard.steering refuses.
var staysHere = strings.Split("add,agent bench,answer,approve,attach,beads merge,budget,cancel,conflicts,cost,demo,discoveries,doctor,edit,split,helm guard,helm run,helm status,helm stop,hold,init,interrupt,logs,man,mcp,nc,needs,pause,plan check,plan graph,"+
	"plan from,plan make,plan new,pool add,pool drain,pool history,pool log,pool rm,pool status,reject,repair,requeue,restore,resume,revert,sail,schema,search,send,shell,ship add,ship replace,ship rm,ships,sink,"+
	"skills install,skills list,skills show,skills uninstall,status,sweep,task accept,task claim,task complete,task list,task plan,task reject,"+
	"task release,task review,task wait,tasks,telemetry run,telemetry status,telemetry-start,telemetry-stop,uninstall,verify,voyages,voyages restore,voyages rm,wait", ",")

// The page about trust lists all commands that send work out of this machine.
func TestTrustHasExits(t *testing.T) {
	b, _ := testBridge(t, 80)
	root := newRoot(b)
	table := "| Exit | What goes out |\n|---|---|\n"
	for _, c := range root.Commands() {
		if what := c.Annotations[goesOut]; what != "" {
			table += "| `" + c.CommandPath() + "` | " + what + " |\n"
		}
	}
	page, err := os.ReadFile("help/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+table+"\n") {
		t.Errorf("help/trust.md must have this table:\n%s", table)
	}
	for words, c := range leaves(root) {
		if c.Annotations[goesOut] == "" && !slices.Contains(staysHere, words) {
			t.Errorf("staysHere lacks %q: add it, or, when it sends work out of this machine, annotate it with goesOut", words)
		}
	}
}

// mayText says for which tasks a role may make a request.
func mayText(role string, q rights.Request) string {
	may := func(r rights.Relation) bool { return rights.May(role, q, r) }
	switch {
	case may(rights.None):
		return "any"
	case may(rights.Ready):
		return "ready for its role"
	case slices.ContainsFunc(rights.Relations, may):
		return "its own"
	}
	return "never"
}
