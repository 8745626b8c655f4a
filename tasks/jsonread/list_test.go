package jsonread_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/jsonread"
)

// listed is an object with tasks, like a board.
type listed struct {
	Name  string            `json:"name"`
	Ships []map[string]any  `json:"ships,omitempty"`
	Tasks []tasks.State     `json:"tasks"`
	More  map[string]string `json:"more,omitempty"`
}

// What CutList takes out and what it leaves is what encoding/json reads, whatever the number of tasks and processors.
func TestCutList(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := range 8 {
		in := listed{Name: "],\n", Ships: []map[string]any{{"tasks": []any{map[string]any{}, 1}}}, Tasks: make([]tasks.State, n)}
		for i := range in.Tasks {
			in.Tasks[i] = tasks.State{Task: tasks.Task{
				ID: fmt.Sprint(i), Subject: "},\n    {", Status: tasks.Completed, Blocks: []string{}, BlockedBy: []string{"},"},
				Metadata: map[string]any{"list": []any{map[string]any{"a": 1.0}, map[string]any{}}},
				Extra:    map[string]json.RawMessage{"tasks": json.RawMessage(`[{"a":{}},{}]`)},
			}, Epoch: 1}
		}
		for _, more := range []map[string]string{nil, {"tasks": "x"}} {
			in.More = more
			raw, err := json.MarshalIndent(in, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			for procs := range 5 {
				runtime.GOMAXPROCS(procs + 1)
				rest, wait := jsonread.CutList[tasks.State](append([]byte{}, raw...), "tasks")
				all, err := wait()
				if err != nil || len(all) != n {
					t.Fatalf("%d of %d tasks on %d processors, %v", len(all), n, procs+1, err)
				}
				var out, want listed
				if err := json.Unmarshal(rest, &out); err != nil {
					t.Fatalf("%v in %s", err, rest)
				}
				if err := json.Unmarshal(raw, &want); err != nil {
					t.Fatal(err)
				}
				if n > 0 {
					out.Tasks = append(out.Tasks, all...)
				}
				if !reflect.DeepEqual(out, want) {
					t.Errorf("%d tasks on %d processors: read\n%+v\nwant\n%+v", n, procs+1, out, want)
				}
			}
		}
	}
}

// What json.MarshalIndent did not write, CutList leaves alone or refuses.
func FuzzCutList(f *testing.F) {
	f.Add([]byte("{\n  \"a\": 1,\n  \"tasks\": [\n    {\n      \"id\": \"1\"\n    },\n    {\n      \"id\": \"2\"\n    }\n  ]\n}\n"))
	f.Add([]byte("{\n  \"a\": 1,\n  \"tasks\": [\n    {}, {\"id\": \"1\"},\n    {\n    },\n    {},\n    {[}\n  ]\n}\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, wait := jsonread.CutList[tasks.State](raw, "tasks")
		all, err := wait()
		for _, s := range all {
			if err == nil && s.Status == "" {
				t.Fatalf("a task of %q was not read", raw)
			}
		}
	})
}
