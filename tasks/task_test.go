package tasks

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestTaskJSON(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{
			`{"id":"1","subject":"a","status":"completed","owner":null,"zeta":1,"alpha":{"b":2},"metadata":{"x":{"y":[1,"<"]}}}`,
			`{"id":"1","subject":"a","description":"","status":"completed","blocks":[],"blockedBy":[],"metadata":{"x":{"y":[1,"<"]}},"alpha":{"b":2},"zeta":1}`,
		},
		{`{"id":"1","title":"old"}`, `{"id":"1","subject":"old","description":"","status":"pending","blocks":[],"blockedBy":[]}`},
		{`{"id":"1","subject":"new","title":"old"}`, `{"id":"1","subject":"new","description":"","status":"pending","blocks":[],"blockedBy":[],"title":"old"}`},
		{
			`{"01":"0","a":{"000":"0000","0":0.5,"1":[0,{"0":null}],"00000":0},"\u0069d":"1","blocks":["2",null]}`,
			`{"id":"1","subject":"","description":"","status":"pending","blocks":["2",""],"blockedBy":[],"01":"0","a":{"000":"0000","0":0.5,"1":[0,{"0":null}],"00000":0}}`,
		},
		{
			`{"id":"1","id":"2","metadata":{"a":"b","a":1},"blocks":["3"],"blocks":["4"]}`,
			`{"id":"2","subject":"","description":"","status":"pending","blocks":["4"],"blockedBy":[],"metadata":{"a":1}}`,
		},
		{"{\"id\":\"\xff\"}", `{"id":"�","subject":"","description":"","status":"pending","blocks":[],"blockedBy":[]}`},
		{`{"id":"1","ID":"2","Status":5}`, `{"id":"1","subject":"","description":"","status":"pending","blocks":[],"blockedBy":[],"ID":"2","Status":5}`},
	} {
		var task Task
		if err := json.Unmarshal([]byte(c.in), &task); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		out, err := task.MarshalJSON()
		if err != nil || string(out) != c.out {
			t.Errorf("%s becomes\n%s, want\n%s (%v)", c.in, out, c.out, err)
		}
	}
	for _, wrong := range []string{`null`, `[]`, `{"id":1}`, `{"blocks":"2"}`, `{"blockedBy":[1]}`, `{"metadata":[]}`, `{"metadata":{"a":"b"]}`, `{"title":5}`, `{"id":"1"`} {
		var task Task
		if err := json.Unmarshal([]byte(wrong), &task); err == nil {
			t.Errorf("%s is taken as %+v", wrong, task)
		}
	}
}

// FuzzTask reads any bytes as a task. If they are a task, Marshal must lose nothing, and must keep the order of keys
// and the form that Claude Code accepts.
func FuzzTask(f *testing.F) {
	f.Add(`{"id":"1","subject":"a","description":"b","activeForm":"c","owner":"d","status":"pending","blocks":["2"],"blockedBy":[],"metadata":{"run":"true"},"more":1}`)
	f.Add(`{"title":"x","ID":"2","Blocks":[],"":null}`)
	f.Add(`{"metadata":{"n":1e300,"s":"\u0000<>\ud800"},"\u00e9":"\n"}`)
	f.Fuzz(func(t *testing.T, in string) {
		var task Task
		if json.Unmarshal([]byte(in), &task) != nil {
			return
		}
		out, err := task.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var again Task
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if twice, err := again.MarshalJSON(); err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("%s comes back as %s (%v)", out, twice, err)
		}

		var keys []string
		d := json.NewDecoder(bytes.NewReader(out))
		_, _ = d.Token()
		for d.More() {
			key, _ := d.Token()
			keys = append(keys, key.(string))
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				t.Fatal(err)
			}
		}
		ours := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !slices.Contains(known, k) })
		if !slices.IsSortedFunc(ours, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) }) || !slices.Equal(ours, keys[:len(ours)]) {
			t.Fatalf("keys are in the order %v", keys)
		}
		for _, must := range []string{"id", "subject", "status", "blocks", "blockedBy"} {
			if !slices.Contains(keys, must) {
				t.Fatalf("%s has no %s", out, must)
			}
		}

		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(in), &fields); err != nil {
			t.Fatal(err)
		}
		for key, value := range fields {
			if slices.Contains(known, key) || key == "title" {
				continue
			}
			if !slices.Contains(keys, key) || !bytes.Equal(again.Extra[key], value) {
				t.Fatalf("field %q was %s and is %s", key, value, again.Extra[key])
			}
		}
	})
}

func TestCompareIDs(t *testing.T) {
	ids := strings.Fields("b 10 a 2 01 1 9999999999999999999999 2-10 2-2 2-2-1 1-10-2 1-9-3 a01 a1")
	slices.SortFunc(ids, CompareIDs)
	if got := strings.Join(ids, " "); got != "01 1 2 10 1-9-3 1-10-2 2-2 2-2-1 2-10 9999999999999999999999 a a01 a1 b" {
		t.Errorf("order %s", got)
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"1": true, "task-7_b": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
		"": false, "../x": false, "a/b": false, "a.b": false, "ä": false, "a\n": false, Sentinel: false,
	} {
		if ValidID(id) != want {
			t.Errorf("ValidID(%q) is %v", id, !want)
		}
	}
}
