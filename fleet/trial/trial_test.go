package trial_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/hook"
	"ocaptain/fleet/aboard/run"
	"ocaptain/fleet/aboard/script"
	"ocaptain/fleet/aboard/serve"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/slottest"
	"ocaptain/fleet/trial"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "trial-for-test" {
		if err := trial.Serve(context.Background(), "/tmp", os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	aboardtest.Main(m, aboardtest.Programs{Run: run.Run, Serve: serve.Run, Hook: hook.Answer, Script: script.Run})
}

// doctored is a script that edits the settings that Claude Code is given, and then runs it.
func doctored(t *testing.T, edit, before string) string {
	slottest.Take(t, 1)
	file := filepath.Join(t.TempDir(), "claude")
	text := fmt.Sprintf(`#!/bin/sh
%s
next=
for arg; do
	if [ "$next" ]; then
		sed '%s' "$arg" >"$arg.doctored"
		arg=$arg.doctored next=
	elif [ "$arg" = --settings ]; then
		next=yes
	fi
	shift
	set -- "$@" "$arg"
done
exec %s "$@"
`, before, edit, claudetest.Binary(t))
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
