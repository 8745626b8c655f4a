package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestDeniedTools(t *testing.T) {
	for _, tt := range []struct {
		tools     Tools
		notebooks bool
		has, not  string
	}{
		{Tools{}, false, "AskUserQuestion ExitPlanMode NotebookEdit ScheduleWakeup", "Bash TaskUpdate"},
		{Tools{}, true, "AskUserQuestion", "NotebookEdit"},
		{Tools{Deny: []string{"NotebookEdit", "WebFetch"}}, true, "NotebookEdit WebFetch", "WebSearch"},
		{Tools{Allow: []string{"AskUserQuestion", "Monitor"}, Deny: []string{"WebFetch", "Monitor"}}, false, "WebFetch CronList", "AskUserQuestion Monitor"},
	} {
		got := tt.tools.denied(tt.notebooks)
		for name := range strings.FieldsSeq(tt.has) {
			if !slices.Contains(got, name) {
				t.Errorf("%+v does not deny %s", tt, name)
			}
		}
		for name := range strings.FieldsSeq(tt.not) {
			if slices.Contains(got, name) {
				t.Errorf("%+v denies %s", tt, name)
			}
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%+v denies %v", tt, got)
		}
	}
	if got := UnknownClaudeTools([]string{"Bash", "Monitor", "Teleport"}); !slices.Equal(got, []string{"Teleport"}) {
		t.Errorf("unknown are %v", got)
	}
}
