package voyage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/bdtest"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/eventually"
)

// TestBd has a session end beside a bd that hangs. The captain hears of a bd that fails until it works: then its database has the tasks
// as they are.
func TestBd(t *testing.T) { hasBd(t, bdtest.Files) }

func hasBd(t *testing.T, version string) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	behave := func(how string) {
		t.Helper()
		// Helm may start bd at any moment.
		if err := whole.Write(filepath.Join(dir, "bd"), []byte("#!/bin/sh\n"+how+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	behave("echo $$ >" + pid + ".tmp; mv " + pid + ".tmp " + pid + "; exec sleep 1000")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	h := startHelm(t, helmtest.Hub(t))
	epic, err := tasks.NewEpic(planned(`{"tasks": [{"title": "Schema", "run": "echo a >a"}]}`), nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	epic.ID = "1"
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{Kind: fleet.Session, Beads: fleet.Beads{Prefix: "kite", Mode: fleet.BeadsAuto}}, "#!/bin/sh\nexit 0\n", epic)
	p := bdtest.At(t, version, d.Workspace())
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	eventually.Holds(t, "all issues are closed", func() bool { return allClosed(t, v) })
	why := func() string { return v.Board().Unread.Why }
	if why() != "" {
		t.Error(why())
	}
	behave("echo database is locked >&2; exit 1")
	var hanging int
	eventually.Succeeds(t, "bd runs", func() (err error) {
		raw, err := os.ReadFile(pid)
		if err == nil {
			hanging, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		}
		return err
	})
	_ = syscall.Kill(hanging, syscall.SIGKILL)
	eventually.Holds(t, "it is told", func() bool { return why() != "" })
	v.issues.ReadSoon()
	eventually.Holds(t, "it is told that bd fails", func() bool {
		return strings.Contains(why(), "database is locked") && strings.Contains(why(), d.Workspace())
	})
	behave(fmt.Sprintf("exec %s \"$@\"", bdtest.Binary(t, version)))
	v.issues.ReadSoon()
	eventually.Holds(t, "bd works", func() bool { return why() == "" })
	all := p.List("list", "--all", "-n", "0")
	for _, i := range all {
		if i.Status != beads.Closed {
			t.Errorf("for bd %s is %s", i.ID, i.Status)
		}
	}
	if len(all) != 2 {
		t.Errorf("bd lists %+v", all)
	}
	// What people do with bd is proposed, and bd has it as they left it.
	p.Run("create", "Theirs", "--id", "kite-a")
	p.Run("reopen", all[0].ID)
	find := func(text string) (p fleet.Proposal) {
		for _, p := range v.Proposals.Waiting() {
			if strings.Contains(p.Text, text) {
				return p
			}
		}
		return p
	}
	eventually.Holds(t, "it is proposed", func() bool { return find("kite-a was added").ID != 0 && find(all[0].ID+" was opened again").ID != 0 })
	v.issues.ReadSoon()
	added := find("kite-a was added")
	done, err := v.yes(t, &added)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Captain.Cancel(t.Context(), api.CancelRequest{Task: done.Task, Tasks: []string{done.Task}}); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "bd has it closed", func() error {
		var now []bdtest.Listed
		out, err := p.Try("list", "--all", "-n", "0", "--json")
		if err == nil {
			err = json.Unmarshal(out, &now)
		}
		status := map[string]string{}
		for _, i := range now {
			status[i.ID] = i.Status
		}
		if err != nil || status["kite-a"] != beads.Closed || status[all[0].ID] != beads.Open {
			return fmt.Errorf("bd has %v, %w, and helm says %q", status, err, why())
		}
		return nil
	})
}
