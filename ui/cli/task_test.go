package cli

import (
	"errors"
	"strings"
	"testing"
)

// An agent that writes a command wrong gets its usage.
func TestCommandsAboard(t *testing.T) {
	for _, line := range []string{"review", "review approve --why", "review reject why", "plan", "complete", "complete 3 --summry x", "release", "claim 1 2", "list 1 2", "wait now"} {
		b, _ := testBridge(t, 80)
		root := newRoot(b)
		root.SetArgs(append([]string{"task"}, strings.Fields(line)...))
		err := root.ExecuteContext(t.Context())
		p, ok := errors.AsType[*exitError](err)
		if want := "write: ocaptain task " + strings.Fields(line)[0]; !ok || !strings.HasPrefix(p.advice, want) {
			t.Errorf("task %s: %v, %+v", line, err, p)
		}
	}
}
