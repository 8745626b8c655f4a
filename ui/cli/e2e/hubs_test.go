package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/sync/nettest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog/redistest"
)

// hubs are the captains of a session in a Redis, each with a helm and ships of its own in a network of its own, and the repository where all
// bring their work. They reach both in the servers' network: Redis by TCP, and the repository by SSH.
type hubs struct {
	*testing.T
	net     *nettest.Network
	redis   *redistest.Server
	shared  string // the bare repository
	begins  *captain
	joins   *captain
	session fleet.Dir // of begins
	joined  fleet.Dir // of joins
}

// newHubs begins a session with an epic, and has a second captain join it. lease is the lease of both; begin and join are further flags
// of the commands.
func newHubs(t *testing.T, epic, lease string, begin, join []string) *hubs {
	t.Helper()
	h := &hubs{T: t, net: nettest.New(t, 2)}
	login := h.net.StartSSH(t)
	h.redis = redistest.StartBy(t, h.net.AtServers(), redisPassword, "--bind", nettest.Servers, "--port", redisPort)
	h.begins = h.captain(0, login, "REDIS_PASSWORD="+redisPassword)
	repo := h.begins.freshRepository("kite")
	h.shared = filepath.Join(t.TempDir(), "kite.git")
	h.begins.git(repo, "clone", "-q", "--bare", repo, h.shared)
	h.begins.write("captain.yaml", "redis: {lease: "+lease+"}\n")
	const redis = "redis://" + nettest.Servers + ":" + redisPort
	h.begins.ocaptain(append([]string{"start", "--config", filepath.Join(h.begins.home, "captain.yaml"), "--repo", login.Address + h.shared, "--redis", redis, "--agent", "script", "--branch", "feat/x", "--detach", "--task", epic}, begin...)...)
	h.session = h.begins.voyages()[0]
	var opens fleet.Admission
	if err := summed.Read(h.session.Admission(), &opens); err != nil {
		t.Fatal(err)
	}
	h.joins = h.captain(1, login, "REDIS_PASSWORD="+redisPassword, "OCAPTAIN_SESSION_SECRET="+opens.Secret)
	for _, c := range []*captain{h.begins, h.joins} {
		c.scan.add(newSecret("OCAPTAIN_SESSION_SECRET", opens.Secret, false))
	}
	h.joins.ocaptain(append([]string{"join", redis, h.session.ID(), "--agent", "script", "--detach"}, join...)...)
	h.joined = h.joins.voyages()[0]
	return h
}

const redisPort, redisPassword = "6379", "password-of-tests"

// captain returns a captain on a host of the network, who may log in to the servers.
func (h *hubs) captain(host int, login nettest.SSH, env ...string) *captain {
	h.Helper()
	c := newCaptain(h.T, env...)
	c.within = h.net.At(host)
	c.git(c.home, "config", "--global", "core.sshCommand", login.Client)
	return c
}

// merged returns how often each task is merged on the shared branch.
func (h *hubs) merged() map[string]int {
	h.Helper()
	all := map[string]int{}
	for id := range strings.FieldsSeq(h.begins.git(h.shared, "log", "--format=%(trailers:key=Ocaptain-Task,valueonly)", "main..feat/x")) {
		all[id]++
	}
	return all
}

// done waits until all n tasks are done and verified on both hubs, and makes sure that the shared branch has the work on each once, after that
// on its blockers.
func (h *hubs) done(n int) fleet.Board {
	h.Helper()
	b := h.begins.allDone(h.session, n)
	other := h.joins.allDone(h.joined, n)
	if !slices.EqualFunc(b.Tasks, other.Tasks, func(a, b tasks.State) bool { return a.ID == b.ID && a.Owner == b.Owner && a.Commit == b.Commit }) {
		h.Errorf("the boards differ:\n%v\n%v", b.Tasks, other.Tasks)
	}
	merged := h.merged()
	order := strings.Fields(h.begins.git(h.shared, "log", "--reverse", "--topo-order", "--format=%(trailers:key=Ocaptain-Task,valueonly)", "main..feat/x"))
	for _, t := range b.Tasks {
		work := t.Commit != ""
		if got := merged[t.ID]; work && got != 1 || !work && got != 0 {
			h.Errorf("task %s of %s is merged %d times", t.ID, t.Owner, got)
		}
		for _, id := range t.BlockedBy {
			if work && slices.Index(order, id) > slices.Index(order, t.ID) {
				h.Errorf("task %s is merged before task %s", t.ID, id)
			}
		}
		if work && t.HandIn != nil && (t.HandIn.Review == nil || !t.HandIn.Review.Approved) {
			h.Errorf("task %s is merged without a review", t.ID)
		}
	}
	return b
}

// kills has the helm of each captain killed when the repository has accepted its first push, before it can record that.
func (h *hubs) kills() {
	h.Helper()
	victims := h.TempDir()
	for ship, c := range map[string]*captain{"worker-0": h.begins, "worker-2-0": h.joins} {
		if err := os.WriteFile(filepath.Join(victims, ship), fmt.Append(nil, c.helm()), 0o600); err != nil {
			h.Fatal(err)
		}
	}
	hook := "#!/bin/sh\nread old new ref\ncd " + victims + "\nship=$(git --git-dir=" + h.shared + " log -1 --format=%an $new)\n" +
		"test -e $ship && mv $ship $ship.killed && kill -9 $(cat $ship.killed)\nexit 0\n"
	if err := os.WriteFile(filepath.Join(h.shared, "hooks", "post-receive"), []byte(hook), 0o755); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		for _, ship := range []string{"worker-0", "worker-2-0"} {
			if _, err := os.Stat(filepath.Join(victims, ship+".killed")); err != nil {
				h.Errorf("the helm of %s was not killed: %v", ship, err)
			}
		}
	})
}

// waitsToGoOn has the work on a task wait until goOn is called for its ship.
const waitsToGoOn = "until test -e ~/go; do sleep 0.1; done"

// goOn lets a ship of captain c go on.
func (h *hubs) goOn(c *captain, d fleet.Dir, ship string) {
	h.Helper()
	b := c.until(d, ship+" is there", func(b fleet.Board) bool {
		return slices.ContainsFunc(b.Ships, func(s fleet.ShipView) bool { return s.Name == ship })
	})
	for i := range b.Ships {
		if s := &b.Ships[i]; s.Name == ship {
			c.write(filepath.Join(".local/share/ocaptain/ships", s.MachineName(d.ID()), "home/go"), "")
		}
	}
}

// TestHubs has two hubs take part in a session: both show the same tasks, ships of both claim them, and their work comes to the branch of the
// shared repository, each task once and after the validator of the first hub has reviewed it, although the helm of each is killed between a
// push and its record, packets between the second hub and the servers vanish for a while, and Redis is killed as well.
func TestHubs(t *testing.T) {
	t.Parallel()
	epic := func(name, first string) string {
		var list []string
		for i := range 4 {
			list = append(list, fmt.Sprintf(`{"id": "%d", "title": "%s %[1]d", "run": "%[3]s; echo %[1]d >%[2]s%[1]d"}`, i, name, first))
		}
		return planOf(strings.Join(append(list, fmt.Sprintf(`{"title": "%s last", "run": "ls %[1]s0 %[1]s1 %[1]s2 %[1]s3", "depends_on": ["0","1","2","3"]}`, name)), ", "))
	}
	h := newHubs(t, epic("a", waitsToGoOn), "10m", []string{"--workers", "1"}, []string{"--workers", "1", "--validators", "0"})
	h.kills()
	h.goOn(h.begins, h.session, "worker-0")
	h.goOn(h.joins, h.joined, "worker-2-0")
	h.joins.ocaptain("add", "--voyage", h.joined.ID(), epic("b", "sleep 0.5"))
	h.net.Cut(1)
	h.joins.until(h.joined, "the captain is told", func(b fleet.Board) bool { return strings.Contains(b.Redis.Why, "does not answer") })
	h.net.Mend(1)
	h.joins.until(h.joined, "some tasks are done", func(b fleet.Board) bool {
		_, _, n := b.CountTasks()
		return n > 3
	})
	h.redis.Kill()
	h.redis.Run(t)
	b := h.done(12)
	by := map[string]int{}
	for _, t := range b.Tasks {
		by[t.Owner]++
	}
	if by["worker-0"] == 0 || by["worker-2-0"] == 0 {
		t.Errorf("a hub has done nothing: %v", by)
	}
}

// refs returns the refs of the session in the shared repository.
func (h *hubs) refs() []string {
	return strings.Fields(h.begins.git(h.shared, "for-each-ref", "--format=%(refname)", "refs/ocaptain/"+h.session.ID()+"/"))
}

// TestHubGone stops the helm of a hub whose ship works on a task. After the lease the other hub's ship gets the task, with what the first ship
// had done; what that does later is refused when its helm goes on.
func TestHubGone(t *testing.T) {
	t.Parallel()
	const waits = "echo half >half-$OCAPTAIN_SHIP; " + waitsToGoOn + "; echo $OCAPTAIN_SHIP >"
	h := newHubs(t, planOf(`{"title": "one", "run": "`+waits+`one"}, {"title": "two", "run": "`+waits+`two"}`), "5s", []string{"--workers", "1", "--validators", "0"}, []string{"--workers", "1"})
	works := func(owner string) func(fleet.Board) bool {
		return func(b fleet.Board) bool {
			return slices.ContainsFunc(b.Tasks, func(t tasks.State) bool { return t.Owner == owner && t.Status == tasks.InProgress })
		}
	}
	b := h.begins.until(h.session, "both ships work", func(b fleet.Board) bool { return works("worker-0")(b) && works("worker-2-0")(b) })
	held := ""
	for _, s := range b.Tasks {
		if s.Owner == "worker-2-0" {
			held = s.ID
		}
	}
	eventually.Holds(t, "what both have done so far is in the shared repository", func() bool {
		return len(h.refs()) == 2
	})
	gone := h.joins.helm()
	if err := syscall.Kill(gone, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(gone, syscall.SIGCONT) }()
	h.goOn(h.begins, h.session, "worker-0")
	b = h.begins.allDone(h.session, 3)
	for _, s := range b.Tasks {
		if s.ID == held && s.Owner != "worker-0" {
			t.Errorf("task %s is done by %s", s.ID, s.Owner)
		}
	}
	parked := h.begins.git(h.session.Workspace(), "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/worker-2-0")
	if got := h.begins.git(h.session.Workspace(), "show", parked+":half-worker-2-0"); got != "half" {
		t.Errorf("kept of the hub that is gone is %q on %s", got, parked)
	}
	h.goOn(h.joins, h.joined, "worker-2-0")
	_ = syscall.Kill(gone, syscall.SIGCONT)
	h.done(3)
	eventually.Holds(t, "nothing that was handed in is left in the shared repository", func() bool { return len(h.refs()) == 0 })
}
