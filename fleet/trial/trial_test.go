package trial_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// Each of these differs from the tested version in one point, and is judged for it.
func TestDoctoredVersions(t *testing.T) {
	for name, tt := range map[string]struct {
		edit   string // of the settings that it is given, for sed
		before string // what it runs first
		clause string
		why    string
	}{
		"ignores denials": {
			edit:   `s/"PreToolUse"/"PostToolUse"/`,
			clause: "a claim that is denied has no effect", why: "the hook was not asked",
		},
		"has no task tools": {
			edit: `/ENABLE_TODO_TOOLS/d`, before: "unset CLAUDE_CODE_ENABLE_TODO_TOOLS",
			clause: "the task tools are there", why: "not offered TaskList, TaskGet, TaskUpdate, TaskCreate",
		},
		"shows a dialog": {
			edit:   `s/"skipDangerousModePermissionPrompt": true/"skipDangerousModePermissionPrompt": false/`,
			clause: "it goes to work without a dialog", why: "Bypass Permissions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := trial.Run(t.Context(), "/tmp", trial.Order{Agent: "claude", Program: doctored(t, tt.edit, tt.before)})
			if err != nil {
				t.Fatal(err)
			}
			if r.Sails() {
				t.Errorf("it may sail: %+v", r)
			}
			if first := r.Broken(trial.Must)[0]; first.Clause != tt.clause || !strings.Contains(first.Why, tt.why) {
				t.Errorf("it is refused as %q: %s", first.Clause, first.Why)
			}
		})
	}
}

// doctored is a Claude Code that finds its settings edited.
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
