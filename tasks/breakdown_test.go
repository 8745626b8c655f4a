package tasks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var anEpic = func() *State {
	t, err := NewEpic("Add login\n\nwith all that belongs to it", []string{"auth"}, 1)
	if err != nil {
		panic(err)
	}
	t.ID = "7"
	return &State{Task: t}
}()

func TestNewEpicWrong(t *testing.T) {
	for _, c := range []struct {
		text, label string
		priority    int
		want        string
	}{
		{" \n", "x", 2, "empty"}, {"x\x00", "x", 2, "control character"}, {"x", " ", 2, "label"}, {"x", "a\nb", 2, "label"}, {"x", "x", 5, "priority 5"},
	} {
		if _, err := NewEpic(c.text, []string{c.label}, c.priority); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q %d: %v", c.text, c.label, c.priority, err)
		}
	}
}

func TestBreakdown(t *testing.T) {
	all, err := Breakdown([]byte(`{"tasks": [
		{"id": "A", "title": "Create Schema", "depends_on": []},
		{"id": "B", "title": "User Model", "depends_on": ["A"], "group": "models", "labels": ["db", "auth"], "priority": 0},
		{"title": "Login Endpoint", "type": "feature", "depends_on": ["User Model", "A", "A"], "acceptance": "it logs in", "description": "POST /login", "verify": "make test"}
	]}`), anEpic)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, task := range all {
		got += fmt.Sprintf("%s %s [%s] %s %v p%d %q %q %q %q\n", task.ID, task.Subject, strings.Join(task.BlockedBy, " "),
			task.Type(), task.Labels(), task.Priority(), task.Group(), task.Acceptance(), task.Verify(), task.Description)
		if task.Parent() != "7" || task.Status != Pending || task.Depth() != 1 {
			t.Errorf("%s is of %s, %s", task.ID, task.Parent(), task.Status)
		}
	}
	want := `7-1 Create Schema [] task [auth] p1 "" "" "" ""
7-2 User Model [7-1] task [auth db] p0 "models" "" "" ""
7-3 Login Endpoint [7-2 7-1] feature [auth] p1 "" "it logs in" "make test" "POST /login\n\nIt is accepted when this holds: it logs in"
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if anEpic.Type() != Epic || anEpic.Subject != "Add login…" || !slices.Equal(anEpic.Labels(), []string{"auth"}) {
		t.Errorf("the epic is %+v", anEpic.Task)
	}
}

// One error lists everything that is wrong.
func TestBreakdownWrong(t *testing.T) {
	long := strings.Repeat("x", MaxBreakdown-200)
	for _, c := range []struct{ raw, want string }{
		{"I have made a plan:", `it is not the JSON object {"tasks": […]}: `},
		{"[]", `it is not the JSON object`},
		{"null", `"tasks" must be a list of at least one task`},
		{`{"tasks": []}`, `"tasks" must be a list of at least one task`},
		{`{"tasks": {"a": 1}}`, `"tasks" must be a list`},
		{`{"tasks": [{"title": "x"}], "note": ""}`, `unknown field "note": take it out`},
		{`{"tasks": [7, null]}`, "tasks[0] is not an object\ntasks[1] is not an object"},
		{
			`{"tasks": [{"title": " ", "type": "epic", "priority": 5, "depends_on": "A", "labels": [1], "acceptance": 7, "dependsOn": []}]}`,
			"tasks[0].acceptance is 7, and must be a text\n" +
				"tasks[0]: unknown field \"dependsOn\": the fields are id, title, description, type, group, acceptance, depends_on, labels, priority, verify, run, review\n" +
				"tasks[0].depends_on is \"A\", and must be a list of texts\ntasks[0].labels is [1], and must be a list of texts\ntasks[0].priority is 5: give a number from 0, the most urgent, to 4\n" +
				"tasks[0] has no title\ntasks[0].type is \"epic\": give one of task, bug, feature, chore",
		},
		{`{"tasks": [{"title": "x", "acceptance": "` + long + `"}]}`, "tasks[0].acceptance has 163640 bytes, and 16384 are allowed"},
		{`{"tasks": [{"title": "x", "acceptance": "` + long + long + `"}]}`, "it has more than 163840 bytes: say less of each task"},
		{`{"tasks": [` + strings.Repeat(`{"title": "x"},`, 500) + `{"title": "x"}]}`, "it has 501 tasks, and 500 are allowed"},
		{`{"tasks": [{"title": "a\u001b[2Jb"}, {"title": "two\nlines"}]}`, "tasks[0].title has the character '\\x1b': take it out\ntasks[1].title has the character '\\n'"},
		{`{"tasks": [{"title": "x", "depends_on": ["y", "x"]}]}`, "there is no task \"y\"\ntasks[0].depends_on: task \"x\" waits for itself"},
		{`{"tasks": [{"title": "x"}, {"title": "x"}, {"title": "z", "depends_on": ["x"]}]}`, `tasks[2].depends_on: 2 tasks are called "x": give them ids`},
		{`{"tasks": [{"id": "a", "title": "x"}, {"id": "a", "title": "y"}]}`, `tasks[1].id "a" is also that of another task`},
		{`{"tasks": [{"title": "x", "depends_on": ["y"]}, {"title": "y", "depends_on": ["x"]}]}`, `tasks wait for each other: "x" → "y" → "x": take one depends_on out`},
		{`{"tasks": [{"id": "A", "title": "x", "depends_on": ["B"]}, {"id": "B", "title": "y", "depends_on": ["A"]}]}`, `"A" → "B" → "A"`},
	} {
		all, err := Breakdown([]byte(c.raw), anEpic)
		if err == nil || !strings.Contains(err.Error(), c.want) || all != nil {
			t.Errorf("%.60s: got %.900v\nwant %s", c.raw, err, c.want)
		}
	}
}

func FuzzBreakdown(f *testing.F) {
	f.Add([]byte(`{"tasks": [{"id": "A", "title": "x"}, {"title": "y", "depends_on": ["A", "x"], "labels": ["l"], "priority": 2}]}`))
	f.Add([]byte(`{"tasks": [{"title": "x", "depends_on": ["x"]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := Breakdown(raw, anEpic)
		if err != nil {
			return
		}
		if len(all) == 0 || len(NewGraph(all).Cycles()) > 0 {
			t.Errorf("taken: %q", raw)
		}
		ids := map[string]bool{}
		for _, task := range all {
			if ids[task.ID] || !ValidID(task.ID) || task.Subject == "" || task.Parent() != "7" {
				t.Errorf("taken: %+v", task)
			}
			ids[task.ID] = true
		}
	})
}

func TestCheckSize(t *testing.T) {
	add := func(all []*State, id, parent string, n int) []*State {
		for i := range n {
			p := &State{Task: Task{ID: fmt.Sprintf("%s-%d", id, i+1), Metadata: map[string]any{"parent": parent}}}
			all = append(all, p)
		}
		return all
	}
	epic, other := &State{Task: Task{ID: "1"}}, &State{Task: Task{ID: "2"}}
	all := add([]*State{epic, other}, "1", "1", 500)
	all = add(all, "1-1", "1-1", 400)
	all = add(all, "2", "2", 10)
	deep := all[2] // task 1-1
	for _, tt := range []struct {
		of    *State
		parts int
		fits  bool
	}{
		{deep, 100, true}, {deep, 101, false}, {epic, 100, true}, {epic, 101, false}, {all[len(all)-1], 500, true}, {other, 990, true}, {other, 991, false},
	} {
		if err := CheckSize(all, tt.of, tt.parts); (err == nil) != tt.fits {
			t.Errorf("%d more of task %s: %v", tt.parts, tt.of.ID, err)
		}
	}
	circle := []*State{{Task: Task{ID: "a", Metadata: map[string]any{"parent": "b"}}}, {Task: Task{ID: "b", Metadata: map[string]any{"parent": "a"}}}}
	if err := CheckSize(circle, circle[0], 1); err != nil {
		t.Error(err)
	}
}
