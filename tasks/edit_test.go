package tasks

import (
	"reflect"
	"strings"
	"testing"
)

// An agent may propose text and dependencies. It may not set metadata, and so cannot choose a command to run.
func TestReadEdit(t *testing.T) {
	for name, tt := range map[string]struct {
		task, input string
		want        Edit
		deleted     bool
		wrong       string
	}{
		"a task":           {"", `{"subject":"Add","description":"two\nlines","activeForm":"Adding","metadata":{"run":"rm -rf /"},"status":"deleted"}`, Edit{Subject: "Add", Description: "two\nlines"}, false, ""},
		"an edit":          {"5", `{"taskId":"6","subject":"Add","addBlockedBy":["1","2","1"],"addBlocks":["7"],"metadata":{"verify":"true"},"priority":0,"labels":["x"]}`, Edit{Task: "5", Subject: "Add", Blocks: []string{"7"}, BlockedBy: []string{"1", "2"}}, false, ""},
		"a deletion":       {"5", `{"taskId":"5","status":"deleted"}`, Edit{Task: "5"}, true, "changes neither"},
		"no subject":       {"", `{"subject":" \t","description":"x"}`, Edit{Subject: " \t", Description: "x"}, false, "needs a subject"},
		"only what is run": {"5", `{"metadata":{"run":"x"}}`, Edit{Task: "5"}, false, "changes neither"},
		"a long one":       {"", `{"subject":"` + strings.Repeat("x", 501) + `"}`, Edit{Subject: strings.Repeat("x", 501)}, false, "500 bytes"},
		"no id":            {"", `{"subject":"x","addBlocks":["../1"]}`, Edit{Subject: "x", Blocks: []string{"../1"}}, false, `no task "../1"`},
		"not its case":     {"", `{"Subject":"x"}`, Edit{}, false, "needs a subject"},
	} {
		got, deleted, err := ReadEdit(tt.task, []byte(tt.input))
		if err != nil || !reflect.DeepEqual(got, tt.want) || deleted != tt.deleted {
			t.Errorf("%s: %+v, %v, %v", name, got, deleted, err)
		}
		if err := got.Check(); (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"", "{", `{"subject":1}`, "null]", `{"subject":"` + strings.Repeat("x", MaxEdit) + `"}`} {
		if _, _, err := ReadEdit("", []byte(bad)); err == nil {
			t.Errorf("%.20q is read", bad)
		}
	}
}
