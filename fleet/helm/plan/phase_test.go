package plan

import (
	"reflect"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

func TestNext(t *testing.T) {
	ran := func(passed bool, fixes int) *kind.Result {
		return &kind.Result{Verify: fleet.Verify{Passed: passed, Fixes: fixes, Commit: "c"}, Head: "c"}
	}
	asked := func(passed bool) *kind.Result {
		return &kind.Result{Verify: fleet.Verify{Passed: passed, Commit: "c"}, Head: "c", Asked: true}
	}
	askedOlder := asked(true)
	askedOlder.Head = "d"
	older := ran(true, 0)
	older.Head = "d"
	open, done := all(completed(), pending()), all(completed())
	fixes := func(p fleet.Phase) kind.Step { return kind.Step{Phase: p, Fix: Plan{Fixes: 2}.fixTask(2, "")} }
	stays := func(p fleet.Phase) kind.Step { return kind.Step{Phase: p} }
	for name, tt := range map[string]struct {
		phase fleet.Phase
		all   tasks.Snapshot
		r     *kind.Result
		want  kind.Step
	}{
		"tasks are open":                {fleet.Sailing, open, nil, stays(fleet.Sailing)},
		"all is done":                   {fleet.Sailing, done, nil, stays(fleet.Verifying)},
		"no tasks at all":               {fleet.Sailing, all(), nil, stays(fleet.Sailing)},
		"done before all ships are":     {fleet.Fitting, done, nil, stays(fleet.Fitting)},
		"nothing new while it verifies": {fleet.Verifying, done, nil, stays(fleet.Verifying)},
		"a task more while it verifies": {fleet.Verifying, open, nil, stays(fleet.Sailing)},
		"a task more when complete":     {fleet.Complete, open, nil, stays(fleet.Sailing)},
		"a task more when failed":       {fleet.VerifyFailed, open, nil, stays(fleet.Sailing)},
		"tasks lost":                    {fleet.Complete, all(), nil, stays(fleet.Complete)},
		"a task more as it sinks":       {fleet.Sinking, open, nil, stays(fleet.Sinking)},
		"sunk":                          {fleet.Sunk, done, nil, stays(fleet.Sunk)},

		"passed":                       {fleet.Verifying, done, ran(true, 0), stays(fleet.Complete)},
		"passed for an older head":     {fleet.Verifying, done, older, stays(fleet.Verifying)},
		"passed, and a task more":      {fleet.Verifying, open, ran(true, 0), stays(fleet.Sailing)},
		"passed as it sinks":           {fleet.Sinking, done, ran(true, 0), stays(fleet.Sinking)},
		"passed after another failure": {fleet.VerifyFailed, done, ran(true, 0), stays(fleet.VerifyFailed)},
		"failed, a fix is left":        {fleet.Verifying, done, ran(false, 1), fixes(fleet.Verifying)},
		"failed, no fix is left":       {fleet.Verifying, done, ran(false, 2), stays(fleet.VerifyFailed)},
		"failed, and a task more":      {fleet.Verifying, open, ran(false, 0), stays(fleet.Sailing)},

		"asked for, passed":              {fleet.VerifyFailed, done, asked(true), stays(fleet.Complete)},
		"asked for, passed, older head":  {fleet.VerifyFailed, done, askedOlder, stays(fleet.VerifyFailed)},
		"asked for, failed":              {fleet.VerifyFailed, done, asked(false), stays(fleet.VerifyFailed)},
		"asked for while it verifies":    {fleet.Verifying, done, asked(true), stays(fleet.Verifying)},
		"asked for, failed when passed":  {fleet.Complete, done, asked(false), stays(fleet.Complete)},
		"asked for while tasks are open": {fleet.Sailing, open, asked(true), stays(fleet.Sailing)},
	} {
		if is := (Plan{Fixes: 2}).Next(tt.phase, tt.all, tt.r); !reflect.DeepEqual(is, tt.want) {
			t.Errorf("%s: %+v", name, is)
		}
	}
}

func TestFixTask(t *testing.T) {
	fix := Plan{Fixes: 3}.fixTask(2, "no tests\nFAIL")
	if fix.Status != tasks.Pending || !strings.Contains(fix.Subject, "attempt 2 of 3") || !strings.HasSuffix(fix.Description, "\n\nno tests\nFAIL") {
		t.Errorf("%+v", fix)
	}
}

func TestPhases(t *testing.T) {
	for phase, want := range map[fleet.Phase]struct {
		closed bool
		over   string
	}{
		fleet.Fitting:      {},
		fleet.Sailing:      {},
		fleet.Verifying:    {true, ""},
		fleet.Complete:     {true, "the voyage is complete"},
		fleet.VerifyFailed: {true, "the voyage is verify failed"},
		fleet.Sinking:      {true, "the voyage is sinking"},
		fleet.Sunk:         {true, "the voyage is sunk"},
	} {
		err, over := Plan{}.Closed(phase), Plan{}.Over(phase)
		if (err != nil) != want.closed || over != want.over {
			t.Errorf("%s: %v, %q", phase, err, over)
		}
		if err != nil && err.Error() != "no task can be claimed: the voyage is "+string(phase) {
			t.Errorf("%s: %v", phase, err)
		}
	}
}
