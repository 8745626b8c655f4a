package voyage

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/eventually"
)

// TestKilledBeforeIssues kills helm with -9 when work is merged and its issue is about to be closed. The next one closes it.
func TestKilledBeforeIssues(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir, armed := t.TempDir(), filepath.Join(t.TempDir(), "armed")
	script := `#!/bin/bash
[ "$1" = update-ref ] && [ -e ` + armed + ` ] || exec ` + real + ` "$@"
coproc changes { exec ` + real + ` "$@"; }
while read -r line; do
	read -r what _ commit _ <<<"$line"
	if [ "$what" = update ] && [[ "$(` + real + ` log -1 --format=%s "$commit")" = "beads: "[1-9]* ]]; then
		rm ` + armed + `
		kill -9 $PPID
		exit 1
	fi
	echo "$line" >&${changes[1]}
	case $line in start | prepare | commit) read -r said <&${changes[0]} || exit; echo "$said" ;; esac
done
`
	for path, text := range map[string]string{filepath.Join(dir, "git"): script, armed: ""} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r := newRealHelm(t)
	epic, err := tasks.NewEpic(planned(`{"tasks": [{"title": "Schema", "run": "echo a >a"}, {"title": "Model", "depends_on": ["Schema"], "run": "test -e a && echo b >b"}]}`), nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	epic.ID = "1"
	d := helmtest.Voyage(t, r.hub, fleet.Voyage{Kind: fleet.Session, Beads: fleet.Beads{Prefix: "kite"}}, "#!/bin/sh\nexit 0\n", epic)
	ctx := eventually.Context(t)
	r.start()
	t.Cleanup(func() {
		if err := r.client.Sink(context.Background(), d.ID(), nil); err != nil {
			t.Errorf("sink: %v", err)
		}
	})
	go func() { _ = r.client.Sail(ctx, d.ID(), api.SailRequest{Ships: 2}, nil) }() // which helm does not live to answer
	select {
	case <-r.ended:
	case <-ctx.Done():
		t.Fatal("helm was not killed")
	}
	if _, err := os.Stat(armed); err == nil {
		t.Fatal("helm ended for another reason")
	}
	r.next()
	eventually.Holds(t, "it is verified", func() bool { f, err := fleet.LoadFleet(d); return err == nil && f.Phase == fleet.Complete })
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all issues are closed", func() bool {
		f := beads.Read([]byte(git(t, d, "show", v.Branch+":"+beads.Name) + "\n"))
		n := 0
		for _, i := range f.Issues() {
			if i.Status == beads.Closed {
				n++
			}
		}
		return n == 3 && len(f.Issues()) == 3
	})
	log := git(t, d, "log", "--format=%s", v.Branch)
	if strings.Count(log, "beads: 1 of 3") > 1 || strings.Count(log, "beads: 3 of 3") != 1 {
		t.Errorf("the branch has\n%s", log)
	}
}
