package facts

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestWatchCountsWhatItSaw(t *testing.T) {
	var w Watch
	now := time.Now()
	for _, look := range []struct{ after, want time.Duration }{
		{0, 0}, {time.Minute, time.Minute}, {90 * time.Second, 90 * time.Second}, {8 * time.Hour, 2 * time.Minute},
	} {
		now = now.Add(look.after)
		if seen := w.Begin(now, time.Minute); seen != look.want {
			t.Errorf("a look after %s has seen %s, want %s", look.after, seen, look.want)
		}
	}
	if w.HasActed("ship-0", now) {
		t.Error("a ship has acted since a look that there was not")
	}
	w.End(now, Seen{Acts: map[string]time.Time{"ship-0": now}})
	if w.HasActed("ship-0", now) || !w.HasActed("ship-0", now.Add(1)) {
		t.Error("the newest sign of work is not compared")
	}
}

func TestWatchSinks(t *testing.T) {
	var w Watch
	now := time.Now()
	is := Seen{Sink: map[string]string{"ship-1": "old", "ship-0": "old"}}
	sinks := func(after time.Duration, want ...string) {
		t.Helper()
		if _, _, got := w.End(now.Add(after), is); !reflect.DeepEqual(got, want) {
			t.Errorf("after %s it sinks %q, want %q", after, got, want)
		}
	}
	sinks(0, "ship-0", "ship-1")
	sinks(0) // none while the guards are sinking
	w.LeaveAlone("ship-0", now.Add(time.Minute))
	w.Sunk()
	sinks(time.Second, "ship-1")
	w.Sunk()
	sinks(time.Minute, "ship-0", "ship-1")
}

func TestWarnings(t *testing.T) {
	many := map[string]string{}
	for i := range 7 {
		many[fmt.Sprint("ship-", i)] = "old"
	}
	for _, test := range []struct {
		was, is map[string]string
		want    string
	}{
		{nil, nil, ""},
		{nil, map[string]string{"": "the voyage is old"}, ": the voyage is old"},
		{nil, map[string]string{"ship-0": "old"}, "ship-0: old"},
		{map[string]string{"ship-0": "old"}, map[string]string{"ship-0": "old"}, ""},
		{map[string]string{"ship-0": "old"}, map[string]string{"ship-0": "rests"}, "ship-0: rests"},
		{map[string]string{"ship-0": "old"}, map[string]string{"ship-0": "old", "ship-1": "old"}, "ship-1: old"},
		{nil, map[string]string{"ship-0": "old", "ship-1": "old", "ship-2": "rests"}, ": ship-0, ship-1: old|ship-2: rests"},
		{nil, many, ": ship-0, ship-1, ship-2, ship-3, ship-4 and 2 more ships: old"},
	} {
		var got []string
		for _, n := range warnings(test.was, test.is) {
			got = append(got, n.Ship+": "+n.Text)
		}
		if is := strings.Join(got, "|"); is != test.want {
			t.Errorf("%v to %v: %q, want %q", test.was, test.is, is, test.want)
		}
	}
}
