package script

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func scripted1(id, run string) tasks.Task {
	t := aboardtest.Task(id)
	t.Metadata = map[string]any{"run": run}
	return t
}

func scriptShip(t *testing.T) string {
	return aboardtest.NewShip(t, func(s *proto.Ship) { s.Agent = "script" })
}

// The script agent does all tasks in order, shows what their commands print, and ends.
func TestScript(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t,
		scripted1("1", `echo "one $OCAPTAIN_TASK of $OCAPTAIN_SHIP"; pwd > where`),
		scripted1("2", `printf 'no newline'; echo warn >&2; sleep 86400 &`),
		scripted1("10", `seq 1 5000`),
	)
	helm.Verdict = helm.UntilDone
	helm.Connect(dir)
	var out strings.Builder
	if err := Run(t.Context(), dir, &out); err != nil {
		t.Fatal(err)
	}
	for id, task := range helm.Tasks {
		if task.Status != tasks.Completed || helm.Claimed[id] != 1 {
			t.Errorf("task %s is %s after %d claims", id, task.Status, helm.Claimed[id])
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "voyage", "workspace", "where")); err != nil || strings.TrimSpace(string(raw)) != filepath.Join(dir, "voyage", "workspace") {
		t.Errorf("it ran in %q, %v", raw, err)
	}
	eventually.Holds(t, "the end in the log", func() bool { return strings.HasSuffix(helm.States(), "resting") })
	var logged []string
	for _, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
		if l.Kind == "out" {
			logged = append(logged, l.Task+" "+l.Text)
		}
	}
	if len(logged) != 1+1+maxLines+1 && len(logged) != 1+2+maxLines+1 || logged[0] != "1 one 1 of ship-0" || !strings.Contains(logged[len(logged)-1], "rest is not logged") {
		t.Errorf("logged %d lines: %q … %q", len(logged), logged[:3], logged[len(logged)-1])
	}
	if !strings.Contains(out.String(), "\n5000\n") {
		t.Error("the screen misses output")
	}
}

// After a conflict, the script agent does the task again. After a failure, it releases the task with the reason.
func TestScriptVetoes(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t, scripted1("1", "echo x >> runs"), scripted1("2", "echo broken; exit 3"), scripted1("3", "true"), aboardtest.Task("0"))
	helm.Verdict = func() proto.Verdict {
		if len(helm.Releases) >= 2+1+1+maxConflicts+1 {
			return proto.Verdict{Act: proto.ActRest}
		}
		return helm.UntilDone()
	}
	vetoes := 0
	helm.Complete = func(r proto.CompleteRequest) error {
		switch {
		case r.Task == "1" && vetoes < 2:
			vetoes++
			return &wire.Error{Code: proto.CodeConflict, Text: "conflict in runs"}
		case r.Task == "3":
			return &wire.Error{Code: proto.CodeConflict, Text: "conflict for ever"}
		}
		return nil
	}
	helm.Connect(dir)
	// A failed task is not ready again at once.
	helm.ClaimedOnce("2", "0")
	if err := Run(t.Context(), dir, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if raw, _ := os.ReadFile(filepath.Join(dir, "voyage", "workspace", "runs")); string(raw) != "x\nx\nx\n" {
		t.Errorf("task 1 ran as %q", raw)
	}
	failed := map[string]string{}
	for _, r := range helm.Releases {
		if r.Reason != "" {
			failed[r.Task] = r.Reason
		}
	}
	if len(failed) != 3 || failed["2"] != "its command failed with exit code 3:\nbroken" || failed["3"] != "conflict for ever" ||
		!strings.Contains(failed["0"], "metadata.run") {
		t.Errorf("failures are %q", failed)
	}
}

// A ship whose command failed reports that, and does not count as working until it takes another task.
func TestScriptSaysThatItFailed(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t, scripted1("1", "echo broken; exit 3"))
	helm.Verdict = helm.UntilDone
	helm.ClaimedOnce("1")
	helm.Connect(dir)
	if err := Run(t.Context(), dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the end in the log", func() bool { return strings.HasSuffix(helm.States(), "resting") })
	if got := helm.States(); got != "idle working failed idle resting" && got != "working failed resting" {
		t.Errorf("it says that it is %s", got)
	}
	for _, s := range aboardtest.Seen[proto.AgentState](helm, proto.KindAgentState) {
		if s.State == proto.StateFailed && s.Why != "task 1 failed: its command failed with exit code 3; it takes another in 1s" {
			t.Errorf("why: %q", s.Why)
		}
	}
}

// When the script agent is ended in the middle of a task, no process of the task goes on. The next script agent
// continues the task.
func TestScriptIsEnded(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t, scripted1("1", "echo $$ > pid; [ -e again ] || { touch again; sleep 60; }"))
	helm.Verdict = helm.UntilDone
	helm.Connect(dir)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, dir, &strings.Builder{}) }()
	again := filepath.Join(dir, "voyage", "workspace", "again")
	eventually.Holds(t, "the command", func() bool { _, err := os.Stat(again); return err == nil })
	var p shipdir.Process
	eventually.Holds(t, "the record of the command", func() bool { return shipdir.ReadJSON(shipdir.Dir(dir).Command(), &p) == nil && p.Alive() })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if p.Alive() {
		t.Error("the command goes on")
	}
	if err := Run(t.Context(), dir, &strings.Builder{}); err != nil || helm.Tasks["1"].Status != tasks.Completed {
		t.Errorf("afterwards: %v, %s", err, helm.Tasks["1"].Status)
	}
}

// The script agent cannot wait after an interrupt, so an interrupt ends the command of its task.
func TestScriptIsInterrupted(t *testing.T) {
	dir := scriptShip(t)
	helm := aboardtest.NewHelm(t, scripted1("1", `trap 'exit 7' INT; echo begun; while :; do sleep 0.05; done`))
	helm.Verdict = helm.UntilDone
	helm.ClaimedOnce("1")
	helm.Connect(dir)
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Run(), shipdir.Running{Runner: shipdir.Self(), Agent: shipdir.Self()}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), dir, io.Discard) }()
	begun := func() bool {
		for _, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
			if l.Text == "begun" {
				return true
			}
		}
		return false
	}
	eventually.Holds(t, "the command", begun)
	var p proto.Paused
	eventually.Holds(t, "the interrupt", func() bool { // a command that has just begun is not recorded yet
		return helm.Conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && p.Was
	})
	if !p.Still {
		t.Errorf("the interrupt is %+v", p)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	helm.Mu.Lock()
	defer helm.Mu.Unlock()
	if len(helm.Releases) != 1 || !strings.Contains(helm.Releases[0].Reason, "exit code 7") {
		t.Errorf("releases are %+v", helm.Releases)
	}
}
