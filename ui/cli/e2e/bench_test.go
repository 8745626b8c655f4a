package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// BenchmarkVoyageOverhead sails 40 tasks of one second each on four ships, and does the same with make -j4. The
// voyage's time is from the first claim to the last completion, merges and checkouts included. In "dag", each task
// waits for one or two of the eight tasks before it. In "rows", ten rows of four tasks each wait for the whole row
// before: the worst case, as all ships merge at once and all wait for the last.
func BenchmarkVoyageOverhead(b *testing.B) {
	for _, shape := range []struct {
		name string
		jobs []job
	}{{"dag", dagPlan(40, "sleep 1")}, {"rows", smallPlan(10, 4, "sleep 1")}} {
		b.Run(shape.name, func(b *testing.B) {
			for b.Loop() {
				overhead(b, shape.jobs)
			}
		})
	}
}

// dagPlan returns a plan of n tasks; each waits for one or two of the eight tasks before it.
func dagPlan(n int, each string) []job {
	random := rand.New(rand.NewPCG(1, 2)) // the same plan every time
	var jobs []job
	for i := range n {
		j := job{id: fmt.Sprint(i + 1), subject: fmt.Sprintf("Task %d", i), run: fmt.Sprintf("%s; echo >f%d", each, i)}
		for range min(i, 1+random.IntN(2)) {
			if on := fmt.Sprint(i - random.IntN(min(i, 8))); !slices.Contains(j.after, on) {
				j.after = append(j.after, on)
			}
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func overhead(b *testing.B, jobs []job) {
	c := newCaptain(b)
	d := c.sail(c.plan("overhead", "", smallVerify(len(jobs)), jobs), "-n", "4", "--agent", "script")
	c.complete(d)
	var first, last time.Time
	var checkout, merge []time.Duration
	for _, s := range c.steps(d) {
		if first.IsZero() || s.claimed.Before(first) {
			first = s.claimed
		}
		if s.completed.After(last) {
			last = s.completed
		}
		checkout = append(checkout, s.ready.Sub(s.claimed))
		merge = append(merge, s.completed.Sub(s.ready)-time.Second)
	}
	voyage := last.Sub(first)

	var mk strings.Builder
	fmt.Fprintf(&mk, "all:")
	for _, j := range jobs {
		fmt.Fprintf(&mk, " t%s", j.id)
	}
	for _, j := range jobs {
		fmt.Fprintf(&mk, "\nt%s:", j.id)
		for _, a := range j.after {
			fmt.Fprintf(&mk, " t%s", a)
		}
		fmt.Fprintf(&mk, "\n\t@%s\n", j.run)
	}
	c.write("make/Makefile", mk.String())
	began := time.Now()
	cmd := exec.Command("make", "-j4")
	cmd.Dir = c.home + "/make"
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("make: %v\n%s", err, out)
	}
	plain := time.Since(began)
	b.ReportMetric(median(checkout), "checkout-p50-ms")
	b.ReportMetric(median(merge), "merge-p50-ms")
	b.ReportMetric(voyage.Seconds(), "voyage-s")
	b.ReportMetric(plain.Seconds(), "make-s")
	b.ReportMetric(voyage.Seconds()/plain.Seconds(), "ratio")
}

// step is a task's way through a voyage.
type step struct{ claimed, ready, completed time.Time }

// steps returns the way of every task, by id. For a task that was claimed more than once it is the last way.
func (c *captain) steps(d fleet.Dir) map[string]step {
	c.Helper()
	raw, err := os.ReadFile(d.Events())
	if err != nil {
		c.Fatal(err)
	}
	all := map[string]step{}
	for line := range strings.Lines(string(raw)) {
		var r struct {
			At   time.Time `json:"at"`
			Kind string    `json:"kind"`
			Data struct {
				Task string `json:"task"`
			} `json:"data"`
		}
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		s := all[r.Data.Task]
		switch r.Kind {
		case "task.claimed":
			s.claimed = r.At
		case "helm.checkout":
			s.ready = r.At
		case "task.completed":
			s.completed = r.At
		default:
			continue
		}
		all[r.Data.Task] = s
	}
	return all
}

// median returns the median of durations, in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
