package reader

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLies compares answers with what is known.
func TestLies(t *testing.T) {
	const answer = `{"helm": 7, "phase": "sailing", "ships": [{"name": "ship-0", "status": {"word": "working"}}],
		"tasks": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]}`
	stale := strings.Replace(answer, "{", `{"stale": true,`, 1)
	one := []string{"1"}
	for _, c := range []struct {
		answer string
		code   int
		known  Truth
		want   string
	}{
		{answer, 0, Truth{Answers: true, Completed: one, Ever: one}, ""},
		{answer, 0, Truth{Completed: []string{"1", "2"}, Ever: []string{"1", "2"}}, "task 2 is not completed"},
		{answer, 0, Truth{}, "task 1 is completed, and the journal does not know it"},
		{answer, 0, Truth{Ever: one, Dead: map[string]bool{"helm 7": true}}, "helm 7 is dead"},
		{answer, 0, Truth{Ever: one, Dead: map[string]bool{"helm 8": true}}, ""},
		{answer, 0, Truth{Ever: one, Dead: map[string]bool{"ship-0": true}}, "nothing of it runs"},
		{strings.Replace(answer, "working", "unreachable", 1), 0, Truth{Ever: one, Dead: map[string]bool{"ship-0": true}}, ""},
		{stale, 0, Truth{Dead: map[string]bool{"helm 7": true}}, ""},
		{stale, 0, Truth{Answers: true}, NoAnswer},
		{answer, 1, Truth{Ever: one}, ""},
		{answer, 1, Truth{Ever: one, Answers: true}, NoAnswer},
		{"ocaptain: no", 0, Truth{}, ""},
		{"ocaptain: no", 0, Truth{Answers: true}, NoAnswer},
	} {
		if lies := strings.Join(c.known.Lies(Answer{[]byte(c.answer), c.code}), "\n"); c.want == "" && lies != "" || !strings.Contains(lies, c.want) {
			t.Errorf("%s, exit %d, %+v: %q, want %q", c.answer, c.code, c.known, lies, c.want)
		}
	}
}

// TestWatch: Judge finds a lie once it has lasted, and only about facts that could be known for longer than the
// grace.
func TestWatch(t *testing.T) {
	const (
		honest = `{"helm": 7, "tasks": [{"id": "1", "status": "completed"}], "ships": [{"name": "ship-0", "status": {"word": "unreachable"}}]}`
		lies   = `{"helm": 7, "tasks": [{"id": "1", "status": "pending"}], "ships": [{"name": "ship-0", "status": {"word": "idle"}}]}`
	)
	start := time.Now()
	for _, c := range []struct {
		name    string
		answers []string
		hide    []Claim // these claims are unknowable until two seconds after the start
		busy    bool
		from    time.Duration // time of the first answer, one a second; all facts are true since the start
		want    int           // number of lies that last
	}{
		{name: "honest", answers: []string{honest, honest, honest, honest}, from: 5 * time.Second},
		{name: "both lies", answers: []string{lies, lies, lies}, from: 3 * time.Second, want: 2},
		{name: "a busy machine", answers: []string{lies, lies, lies}, from: 3 * time.Second, busy: true},
		{name: "a busy machine, later", answers: []string{lies, lies, lies}, from: 11 * time.Second, busy: true, want: 2},
		{name: "lies that do not last", answers: []string{lies, lies, honest, lies, lies}, from: 3 * time.Second},
		{name: "too early", answers: []string{lies, lies, lies}, from: time.Second},
		{name: "unknowable", answers: []string{lies, lies, lies}, from: 3 * time.Second, hide: []Claim{Completions, Deaths}},
		{name: "one of them unknowable", answers: []string{lies, lies, lies}, from: 3 * time.Second, hide: []Claim{Deaths}, want: 1},
		{name: "unknowable long ago", answers: []string{lies, lies, lies}, from: 5 * time.Second, hide: []Claim{Completions, Deaths}, want: 2},
		{name: "no answer", answers: []string{"", "{}x", `{"stale": true}`}, from: 3 * time.Second, want: 1},
		{name: "no answer can be had", answers: []string{"", "", ""}, from: 3 * time.Second, hide: []Claim{Answers}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w Watch
			var m Memory
			r := &record{T: t}
			journal := filepath.Join(t.TempDir(), "events.jsonl")
			r.write(journal, `{"kind":"task.completed","data":{"task":"1"}}`+"\n")
			m.Look(journal)
			for e := range m.done {
				m.done[e] = start
			}
			w.SetDead(start, []string{"ship-0"})
			w.SetDead(start.Add(time.Second), []string{"ship-0"})
			w.Hide(c.hide)()
			for claim := range w.hidden {
				w.hidden[claim] = start.Add(2 * time.Second)
			}
			var found []string
			for i, answer := range c.answers {
				found = append(found, w.Judge(start.Add(c.from+time.Duration(i)*time.Second), c.busy, Answer{Out: []byte(answer)}, &m)...)
			}
			if len(found) != c.want {
				t.Errorf("%q, want %d", found, c.want)
			}
		})
	}
}

// TestHiding: Judge ignores a claim as long as one of two faults makes it unknowable.
func TestHiding(t *testing.T) {
	var w Watch
	var m Memory
	one, two := w.Hide([]Claim{Answers}), w.Hide([]Claim{Answers, Deaths})
	one()
	later := time.Now().Add(time.Hour)
	for range Lasting {
		if lies := w.Judge(later, false, Answer{Code: 1}, &m); len(lies) > 0 {
			t.Errorf("%q", lies)
		}
	}
	two()
	var found []string
	for range Lasting + 1 {
		found = append(found, w.Judge(later, false, Answer{Code: 1}, &m)...)
	}
	if !slices.Equal(found, []string{NoAnswer}) {
		t.Errorf("%q", found)
	}
	if all, quiet := w.Looks(); all != 7 || quiet != 7 {
		t.Errorf("%d looks, %d of them quiet", all, quiet)
	}
}
