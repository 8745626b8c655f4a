package tasks

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestStateJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	s := State{
		Task: Task{
			ID: "7", Subject: "a <b> & c", Status: InProgress, Owner: "ship-1", Blocks: []string{"8"}, BlockedBy: []string{},
			Metadata: map[string]any{"run": "make"}, Extra: map[string]json.RawMessage{"links": json.RawMessage(`["x"]`)},
		},
		Epoch: 3, ReservedFor: "ship-2", NotBefore: at, Commit: "c", Reason: "r", Attempts: 4, ClaimedAt: at, CompletedAt: at,
	}
	data, err := json.Marshal(&s)
	if err != nil {
		t.Fatal(err)
	}
	var flat map[string]json.RawMessage
	if err := json.Unmarshal(data, &flat); err != nil || string(flat["id"]) != `"7"` || flat["store"] == nil || flat["links"] == nil {
		t.Errorf("%v, form is %s", err, data)
	}
	var back State
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%v, read back\n%+v\nwant\n%+v", err, back, s)
	}
	s.Extra["epoch"] = json.RawMessage("9") // the plan uses the name of one of the store's own fields
	if data, err = json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%v, read back\n%+v\nwant\n%+v", err, back, s)
	}
	if len(s.Extra) != 2 {
		t.Error("writing a state changed it")
	}
}

// Each of a state's own fields is read by the key by which it is written.
func TestOwnFields(t *testing.T) {
	var s State
	for _, f := range reflect.VisibleFields(reflect.TypeFor[stored]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if want := reflect.ValueOf(&s).Elem().FieldByName(f.Name).Addr().Interface(); s.own(key) != want {
			t.Errorf("%s is not read into %s", key, f.Name)
		}
	}
}

func TestSnapshotJSON(t *testing.T) {
	s := NewSnapshot(5, []*State{
		{Task: Task{ID: "1", Status: Completed}},
		{Task: Task{ID: "2", Status: Pending, BlockedBy: []string{"1", "3", "nowhere"}}},
		{Task: Task{ID: "3", Status: InProgress}},
	}, []string{"something"})
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Snapshot
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Seq != 5 || len(back.Problems) != 1 || back.Task("4") != nil {
		t.Errorf("read back %+v", back)
	}
	if got := back.Blockers(back.Task("2")); !reflect.DeepEqual(got, []string{"3", "nowhere"}) {
		t.Errorf("task 2 waits for %v", got)
	}
	var empty Snapshot
	if empty.Task("1") != nil {
		t.Error("an empty snapshot has a task")
	}
	for _, bad := range []string{`{"tasks":[null]}`, `{"tasks":[{"id":1}]}`, `{"tasks":[{"id":"1","store":7}]}`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("%s was let in", bad)
		}
	}
}
