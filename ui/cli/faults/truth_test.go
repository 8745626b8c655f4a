package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// truth compares what status says with what the reader knows, while the voyage goes on.
type truth struct {
	disturbed time.Time            // when something struck, or ended, last
	sampled   time.Time            // when the last sample was taken
	dead      map[string]time.Time // since when, of helm and ships
	lies      map[string]int       // in how many samples in a row
	samples   int
}

// lasting is in how many samples in a row a lie must be, so that no single late one counts.
const lasting = 3

// sample asks for the status, at most once a second, and not while something is wrong on purpose.
func (v *voyage) sample() {
	t := &v.truth
	if v.id == "" || time.Since(t.sampled) < time.Second || len(v.heals) > 0 {
		return
	}
	before := time.Now()
	out, code, err := clitest.Run(v.home, v.env, v.program, "status", "--json", v.id)
	took := time.Since(before)
	t.sampled = time.Now()
	if err != nil || code != 0 {
		return // nothing is said, so nothing wrong
	}
	var is reader.Status
	if json.Unmarshal([]byte(out), &is) != nil {
		return
	}
	t.samples++
	// A machine that is busy tells everything later: the answer's own time is the measure of that.
	late := before.Add(-reader.Grace - 20*took)
	known := reader.Truth{Dead: v.deaths(is, late)}
	if t.disturbed.Before(late) {
		known.Completed = v.memory.Completed(late)
	}
	v.memory.Look(v.journal())
	known.Ever = v.memory.Completed(time.Now())
	lies := known.Lies([]byte(out))
	for lie := range t.lies {
		if !slices.Contains(lies, lie) {
			delete(t.lies, lie)
		}
	}
	for _, lie := range lies {
		if t.lies == nil {
			t.lies = map[string]int{}
		}
		t.lies[lie]++
		if t.lies[lie] == lasting {
			v.Errorf("status: %s, for %d samples until %.3f", lie, lasting, time.Since(v.begun).Seconds())
		}
	}
}

// deaths finds what has been dead for long enough to be known, by what the status names.
func (v *voyage) deaths(s reader.Status, late time.Time) map[string]string {
	t := &v.truth
	if t.dead == nil {
		t.dead = map[string]time.Time{}
	}
	is := map[string]string{}
	if s.Helm > 0 && !reader.Alive(s.Helm) {
		is["helm"] = fmt.Sprint(s.Helm)
	} else if t.samples%2 == 0 { // without helm nobody knows about ships
		for name := range v.ships() {
			if len(v.aboard(name)) == 0 {
				is[name] = "all of it"
			}
		}
	}
	known := map[string]string{}
	for name, what := range is {
		if t.dead[name].IsZero() {
			t.dead[name] = time.Now()
		}
		if t.dead[name].Before(late) && t.disturbed.Before(late) {
			known[name] = what
		}
	}
	for name := range t.dead {
		if _, still := is[name]; !still {
			delete(t.dead, name)
		}
	}
	return known
}
