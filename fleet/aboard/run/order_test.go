package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// TestStartedComesFirst uses a slow tmux, as under load, and fast hooks of the agent: the journal still has the start
// before the hooks' records.
func TestStartedComesFirst(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(dir, "said")
	aboardtest.PutClaude(t, dir, `echo '{"hook_event_name":"PreToolUse","tool_name":"Bash"}' | HOME=`+dir+" "+exe+` aboard hook ToolStart
touch `+said+`
exit 4`)
	slow := `#!/bin/sh
case "$*" in *display-message*)
	n=0; while [ ! -e ` + said + ` ] && [ $n -lt 50 ]; do n=$((n+1)); sleep 0.02; done; echo @1;;
esac
`
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "tmux"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("TMUX", filepath.Join(dir, "socket")+",1,0")
	t.Setenv("TMUX_PANE", "%0")
	t.Setenv("ANTHROPIC_API_KEY", "k")
	r, err := newRunner(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.tty.fd = -1
	if end := r.runOnce(t.Context(), 1); end.Code != 4 {
		t.Fatalf("it ended with %+v", end)
	}
	var kinds []string
	if _, err := journal.Read(shipdir.Dir(dir).Journal(), 0, func(rec journal.Record) error {
		if rec.Kind == proto.KindAgentStarted || rec.Kind == proto.KindAgentState {
			kinds = append(kinds, rec.Kind)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(kinds, " "); got != "agent.started agent.state" {
		t.Errorf("the journal has %s", got)
	}
}
