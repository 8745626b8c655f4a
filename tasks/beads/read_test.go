package beads

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// hand returns a file that a person wrote by hand.
func hand(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func ids(all []*Issue) string {
	var words []string
	for _, i := range all {
		words = append(words, i.ID)
	}
	return strings.Join(words, " ")
}

func TestRead(t *testing.T) {
	f := Read(hand(t))
	if len(f.Defects) > 0 {
		t.Fatalf("it is in order, and has %v", f.Defects)
	}
	if got := ids(f.Issues()); got != "captain-42 captain-43 captain-45 captain-46 captain-48" {
		t.Fatalf("its issues are %s", got)
	}
	i := f.Issue("captain-46")
	if i.Title != "Create login endpoint" || i.Priority != 0 || i.Status != Open || i.Type != "task" || i.Acceptance != "POST /api/login returns a token" ||
		fmt.Sprint(i.Labels) != "[backend api]" || i.Parent() != "captain-42" || fmt.Sprint(i.dependsOn(blocks)) != "[captain-45]" || i.Updated.Format(time.RFC3339) != "2024-01-15T10:31:00Z" {
		t.Errorf("captain-46 is %+v", i)
	}
	if i := f.Issue("captain-43"); i.Status != Closed || i.Closed.IsZero() || i.CloseReason != "merged" || i.Assignee != "worker-0" {
		t.Errorf("captain-43 is %+v", i)
	}
	if !bytes.Equal(f.Bytes(), hand(t)) {
		t.Errorf("it is written as\n%s", f.Bytes())
	}
}

// Each generation of bd writes some fields in its own way.
func TestReadsGenerations(t *testing.T) {
	for name, l := range map[string]string{
		"type and counts":   `{"_type":"issue","id":"a-1","title":"x","dependency_count":1,"dependent_count":0,"comment_count":0}`,
		"comment by string": `{"id":"a-1","title":"x","comments":[{"id":"01J","issue_id":"a-1","author":"me","text":"hi","created_at":"2026-01-31T12:00:00Z"}]}`,
		"comment by number": `{"id":"a-1","title":"x","comments":[{"id":7,"issue_id":"a-1","author":"me","text":"hi","created_at":"2026-01-31T12:00:00Z"}]}`,
		"comment without":   `{"id":"a-1","title":"x","comments":[{"author":"me","text":"hi","created_at":"2026-01-31T12:00:00Z"}]}`,
		"metadata in text":  `{"id":"a-1","title":"x","dependencies":[{"issue_id":"a-1","depends_on_id":"a-2","type":"waits-for","created_at":"2026-01-31T12:00:00Z","metadata":"{\"gate\":\"any-children\"}"}]}`,
		"metadata a list":   `{"id":"a-1","title":"x","metadata":[1,2]}`,
		"nanoseconds":       `{"id":"a-1","title":"x","created_at":"2026-01-31T12:00:00.123456789+01:00"}`,
		"nulls":             `{"id":"a-1","title":"x","labels":null,"closed_at":null,"assignee":null}`,
		"unknown fields":    `{"id":"a-1","title":"x","started_at":"2026-01-31T12:00:00Z","no_history":true,"later":{"a":[1]}}`,
		"spaces":            `  { "id" : "a-1" , "title" : "x" }  `,
		"tombstone":         `{"id":"a-1","title":"","status":"tombstone","deleted_at":"2026-01-31T12:00:00Z"}`,
	} {
		f := Read([]byte(l + "\n"))
		if len(f.Defects) > 0 || ids(f.Issues()) != "a-1" || string(f.Bytes()) != l+"\n" {
			t.Errorf("%s: issues %q, defects %v, written as %s", name, ids(f.Issues()), f.Defects, f.Bytes())
		}
	}
	other := "{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}\n\n{\"id\":\"a-1\",\"title\":\"x\"}\n"
	if f := Read([]byte(other)); len(f.Defects) > 0 || ids(f.Issues()) != "a-1" || string(f.Bytes()) != other {
		t.Errorf("beside a memory there are %s, %v", ids(f.Issues()), f.Defects)
	}
}

// Every defect has its line, its field, and what to do.
func TestDefects(t *testing.T) {
	const good = `{"id":"a-1","title":"x"}` + "\n"
	for l, want := range map[string]string{
		`{"id":"a-2"`:                           `.beads/issues.jsonl:2:1: error: cannot be read: `,
		`{"id":"a-2","title":"y"} x`:            `.beads/issues.jsonl:2:1: error: cannot be read: has something after its object`,
		`[1]`:                                   `.beads/issues.jsonl:2:1: error: cannot be read: is no JSON object`,
		`<<<<<<< HEAD`:                          `.beads/issues.jsonl:2:1: error: cannot be read: `,
		`{"title":"y"}`:                         `.beads/issues.jsonl:2:1: id: error: is missing`,
		`{"id":"a-2"}`:                          `.beads/issues.jsonl:2:1: title: error: is missing`,
		`{"id":7,"title":"y"}`:                  `.beads/issues.jsonl:2:7: id: error: is a number that cannot be used`,
		`{"id":"a-1","title":"y"}`:              `.beads/issues.jsonl:2:1: id: error: "a-1" is that of line 1 as well`,
		`{"id":"a-2","title":"y","priority":5}`: `.beads/issues.jsonl:2:36: priority: error: is 5`,
		`{"id":"a-2","title":"y","priority":"high"}`:                                                         `.beads/issues.jsonl:2:36: priority: error: is a string that cannot be used`,
		`{"id":"a-2","title":"y","created_at":"yesterday"}`:                                                  `.beads/issues.jsonl:2:38: created_at: error: is a string that cannot be used`,
		`{"id":"a-2","title":"y","labels":["a",1]}`:                                                          `.beads/issues.jsonl:2:34: labels: error: is a list, or one with something else in it`,
		`{"id":"a-2","title":"y","status":"done"}`:                                                           `.beads/issues.jsonl:2:34: status: warning: "done" is none that bd knows by itself`,
		`{"id":"a-2","title":"y","status":"closed"}`:                                                         `.beads/issues.jsonl:2:1: closed_at: warning: is missing, and the issue is closed: bd refuses that`,
		`{"id":"a-2","title":"y","dependencies":[{"type":"blocks"}]}`:                                        `.beads/issues.jsonl:2:40: dependencies: error: has one without depends_on_id or type`,
		`{"id":"a-2","title":"y","dependencies":[{"issue_id":"a-9","depends_on_id":"a-1","type":"blocks"}]}`: `.beads/issues.jsonl:2:40: dependencies: error: has one of "a-9"`,
		`{"id":"a-2","title":"` + strings.Repeat("y", 501) + `"}`:                                            `.beads/issues.jsonl:2:21: title: error: has 501 bytes, more than 500`,
	} {
		f := Read([]byte(good + l + "\n"))
		if len(f.Defects) != 1 || !strings.HasPrefix(f.Defects[0].String(), want) || f.Defects[0].Fix == "" {
			t.Errorf("%s\n has %v\nwant %s", l, f.Defects, want)
		}
		if string(f.Bytes()) != good+l+"\n" {
			t.Errorf("%s is written as %s", l, f.Bytes())
		}
	}
}

func FuzzRead(f *testing.F) {
	for l := range bytes.Lines(hand(f)) {
		f.Add(l)
	}
	f.Add([]byte(`{"_type":"issue","id":"a","title":"b","id":"c","metadata":[],"labels":["x","x"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Read(data)
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(bytes.Clone(data), '\n')
		}
		if got := file.Bytes(); !bytes.Equal(got, data) {
			t.Fatalf("%q is written as %q", data, got)
		}
		Blocked(file.Issues())
		again := Read(Merge(data, data, data))
		if ids(again.Issues()) != ids(file.Issues()) {
			t.Fatalf("merged with itself it holds %s, not %s", ids(again.Issues()), ids(file.Issues()))
		}
	})
}
