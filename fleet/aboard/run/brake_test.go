package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// dear is a script of an agent that costs a dollar, waits for a file, costs another dollar, and goes on working.
const dear = `cost() { echo '{"type": "say", "text": "on it", "cost_usd": 1}'; }
cost; until test -e "$HOME/go"; do sleep 0.05; done; cost; touch "$HOME/spent"; until test -e "$HOME/end"; do sleep 0.05; done
`

// dearTurns starts a ship whose helm allows it $2. Helm goes away while the agent works.
func dearTurns(t *testing.T, stop bool) (dir string, r *runner, helm *aboardtest.Helm, cost func(usd float64)) {
	dir, r = ownTurns(t, dear)
	c := *r.ship.Custom
	c.Output = agent.OutputJSONL
	var err error
	if r.agent, err = agent.Find("mine", &c); err != nil {
		t.Fatal(err)
	}
	helm = aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Change(func() {
		helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
	})
	end := helm.Connect(dir)
	allow(t, helm, proto.Allowance{Bounded: true, USD: 2, Stop: stop})
	beginTurns(t, r)
	t.Cleanup(func() { close(r.stop) })
	cost = func(usd float64) {
		t.Helper()
		eventually.Holds(t, "the cost", func() bool { return r.cost() >= usd })
	}
	cost(1)
	r.brake(t.Context())
	if r.isBraked() {
		t.Error("$1 of $2 stops the agent")
	}
	_ = end()
	return dir, r, helm, cost
}

func allow(t *testing.T, helm *aboardtest.Helm, a proto.Allowance) {
	t.Helper()
	if err := helm.Conn.Call(t.Context(), proto.MethodAllow, a, nil); err != nil {
		t.Fatal(err)
	}
}

// isBraked reports whether the last reported state is an interruption because of the cost.
func (r *runner) isBraked() bool {
	why, _ := os.ReadFile(r.home.Interrupted())
	return string(why) == proto.Overspent
}

func touch(t *testing.T, dir, file string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// An agent that has spent its allowance while helm is away is interrupted, and waits until helm tells it to go on.
func TestBrakeAtOnce(t *testing.T) {
	dir, r, helm, cost := dearTurns(t, true)
	touch(t, dir, "go")
	cost(2)
	r.brake(t.Context())
	eventually.Holds(t, "the state", func() bool {
		all := aboardtest.JournalOf[proto.AgentState](t, dir, proto.KindAgentState)
		return len(all) > 0 && all[len(all)-1].Why == proto.Overspent
	})
	if r.cost() != 2 {
		t.Errorf("it cost %g", r.cost())
	}
	helm.Connect(dir)
	allow(t, helm, proto.Allowance{})
	starts := func() int { return len(aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)) }
	if n := starts(); n != 1 {
		t.Errorf("%d turns began", n)
	}
	touch(t, dir, "end")
	if err := helm.Conn.Call(t.Context(), proto.MethodMail, mailbox.Message{ID: "message-0", At: time.Now(), Text: "Go on."}, nil); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the next turn", func() bool { return starts() > 1 })
}

// An agent that need not stop at once ends its turn. It begins no other turn before helm is back, even if there is work
// or a message.
func TestBrakeAtEndOfTurn(t *testing.T) {
	dir, r, helm, cost := dearTurns(t, false)
	touch(t, dir, "go")
	cost(2)
	r.brake(t.Context())
	if r.isBraked() {
		t.Error("it is interrupted")
	}
	box, err := mailbox.Open(r.home.Mail())
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Add(mailbox.Message{ID: "message-0", At: time.Now(), Text: "Go on."}); err != nil {
		t.Fatal(err)
	}
	touch(t, dir, "end")
	eventually.Holds(t, "the end of the turn", func() bool {
		for _, l := range aboardtest.JournalOf[proto.Log](t, dir, proto.KindLog) {
			if strings.Contains(l.Text, "begins nothing until helm is back") {
				return true
			}
		}
		return false
	})
	starts := func() int { return len(aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)) }
	if n := starts(); n != 1 {
		t.Errorf("%d turns began", n)
	}
	helm.Connect(dir)
	eventually.Holds(t, "the next turn", func() bool { return starts() > 1 })
}

// A ship without a budget has no allowance file.
func TestAllowanceIsKept(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	file := shipdir.Dir(dir).Allowance()
	for _, a := range []proto.Allowance{{}, {Bounded: true, USD: 3, Stop: true}, {Bounded: true}, {}, {}} {
		allow(t, helm, a)
		var kept proto.Allowance
		if err := shipdir.ReadJSON(file, &kept); (err == nil) != a.Bounded || kept != a {
			t.Errorf("of %+v it keeps %+v, %v", a, kept, err)
		}
	}
}
