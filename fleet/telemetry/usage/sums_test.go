package usage

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

// input returns the total number of input tokens.
func input(s *Sums) int64 { return s.Total().Tokens.Input }

var ship1 = Source{Voyage: "v1", Ship: "ship-1", Role: "worker"}

func TestSumsOfPoints(t *testing.T) {
	delta := func(start, at int, v float64) usagetest.Sample {
		return usagetest.Sample{Start: start, At: at, Value: v}
	}
	cumulative := func(start, at int, v float64) usagetest.Sample {
		return usagetest.Sample{Start: start, At: at, Value: v, Cumulative: true}
	}
	for _, tt := range []struct {
		name    string
		samples []usagetest.Sample
		want    int64
		count   Count
	}{
		{"nothing", nil, 0, Count{}},
		{"deltas", []usagetest.Sample{delta(0, 1, 3), delta(1, 2, 4)}, 7, Count{Summed: 2}},
		{"a delta twice", []usagetest.Sample{delta(0, 1, 3), delta(0, 1, 3)}, 3, Count{Summed: 1, Again: 1}},
		{"deltas twice, in another order", []usagetest.Sample{delta(0, 1, 3), delta(1, 2, 4), delta(1, 2, 4), delta(0, 1, 3)}, 7, Count{Summed: 2, Again: 2}},
		{"deltas in another order", []usagetest.Sample{delta(1, 2, 4), delta(0, 1, 3)}, 7, Count{Summed: 2}},
		{"deltas with a gap, filled an hour later", []usagetest.Sample{delta(0, 1, 1), delta(3600, 3601, 1), delta(1, 3600, 5)}, 7, Count{Summed: 3}},
		{"a program that begins anew", []usagetest.Sample{delta(0, 10, 3), delta(5, 10, 4)}, 7, Count{Summed: 2}},
		{"a cumulative series", []usagetest.Sample{cumulative(0, 1, 3), cumulative(0, 2, 3), cumulative(0, 3, 9)}, 9, Count{Summed: 3}},
		{"a cumulative series twice", []usagetest.Sample{cumulative(0, 1, 3), cumulative(0, 2, 9), cumulative(0, 1, 3), cumulative(0, 2, 9)}, 9, Count{Summed: 2, Again: 2}},
		{"a cumulative series in another order", []usagetest.Sample{cumulative(0, 2, 9), cumulative(0, 1, 3), cumulative(0, 3, 10)}, 10, Count{Summed: 2, Again: 1}},
		{"a cumulative program that begins anew", []usagetest.Sample{cumulative(0, 2, 9), cumulative(5, 6, 4), cumulative(5, 7, 5)}, 14, Count{Summed: 3}},
		{"one that ends while the next runs", []usagetest.Sample{cumulative(0, 2, 9), cumulative(5, 6, 4), cumulative(0, 4, 11), cumulative(5, 7, 5)}, 16, Count{Summed: 4}},
		{"a cumulative value that falls", []usagetest.Sample{cumulative(0, 2, 9), cumulative(0, 3, 4)}, 13, Count{Summed: 2}},
		{"values that are none", []usagetest.Sample{delta(0, 1, math.NaN()), delta(1, 2, -1), delta(2, 3, math.Inf(1)), delta(3, 4, 1e300), delta(4, 5, 2)}, 2, Count{Summed: 1, Invalid: 4}},
		{"sessions apart", []usagetest.Sample{{At: 1, Value: 1, Session: "a"}, {At: 1, Value: 1, Session: "b"}}, 2, Count{Summed: 2}},
		{"models apart", []usagetest.Sample{{At: 1, Value: 1, Model: "a"}, {At: 1, Value: 1, Model: "b"}}, 2, Count{Summed: 2}},
		{"metrics that are not summed", []usagetest.Sample{{At: 1, Value: 1, Metric: "http.requests"}}, 0, Count{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Sums
			for _, sm := range tt.samples {
				addMetrics(&s, ship1, sm)
			}
			if got := input(&s); got != tt.want || s.Count() != tt.count {
				t.Errorf("sums %d and counts %+v, want %d and %+v", got, s.Count(), tt.want, tt.count)
			}
		})
	}
}

func TestSumsOfEvents(t *testing.T) {
	request := usagetest.Event{Name: "api_request", At: 1, Session: "a", Attrs: map[string]any{
		"model": "opus", "input_tokens": "12", "output_tokens": 3, "cache_read_tokens": 5, "cache_creation_tokens": 7,
		"cost_usd": 0.0034, "event.sequence": 4,
	}}
	failed := usagetest.Event{Name: "tool_result", At: 2, Session: "a", Attrs: map[string]any{"success": "false", "tool_name": "Bash"}}
	var s Sums
	for range 2 { // the second time, nothing counts
		addLogs(&s, ship1, request, failed,
			usagetest.Event{Name: "tool_result", At: 2, Session: "b", Attrs: map[string]any{"success": "true"}},
			usagetest.Event{Name: "api_error", At: 3, Session: "a", Attrs: map[string]any{"status_code": 529, "model": "opus"}},
			usagetest.Event{Name: "user_prompt", At: 3, Session: "a"},
			usagetest.Event{Name: "api_request", At: 4, Session: "a", Attrs: map[string]any{"input_tokens": "many"}})
	}
	want := Totals{
		Requests: 1, RequestTokens: Tokens{12, 3, 5, 7}, RequestCost: 3_400_000, RequestErrors: 1, Tools: 2, ToolErrors: 1,
	}
	if got := s.Total(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := s.Count(), (Count{Summed: 4, Again: 4, Invalid: 2}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestSumsByKey(t *testing.T) {
	held := ship1
	held.Task = func(when time.Time) string {
		if when.Unix() < usagetest.Hour+10 {
			return "7"
		}
		return ""
	}
	other := Source{Voyage: "v1", Ship: "ship-2", Role: "validator"}
	var s Sums
	addMetrics(&s, held, usagetest.Sample{At: 1, Value: 1, Model: "m"}, usagetest.Sample{Start: 1, At: 5, Value: 2, Model: "m", Query: "main"},
		usagetest.Sample{At: 5, Value: 4, Model: "m", Query: "auxiliary"}, usagetest.Sample{Start: 5, At: 20, Value: 8, Model: "m"})
	addMetrics(&s, other, usagetest.Sample{At: 3600, Value: 16, Model: "m"})
	got := map[Key]int64{}
	for _, r := range s.Rows() {
		got[r.Key] = r.Totals.Tokens.Input
	}
	want := map[Key]int64{
		{"ship-1", "worker", "7", "m", usagetest.Hour}:           11,
		{"ship-1", "worker", "", "m", usagetest.Hour}:            4,
		{"ship-2", "validator", "", "m", usagetest.Hour + 60*60}: 16,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	byShip := s.By(func(k Key) Key { return Key{Ship: k.Ship} })
	if len(byShip) != 2 || byShip[0].Totals.Tokens.Input != 15 || byShip[1].Totals.Tokens.Input != 16 {
		t.Errorf("by ship: %+v", byShip)
	}
}

// An hour of exports is repeated as a whole, which is far more than is remembered exactly.
func TestAnHourTwice(t *testing.T) {
	var s Sums
	for range 2 {
		for second := range 3600 {
			addMetrics(&s, ship1, usagetest.Sample{Start: second, At: second + 1, Value: 1})
		}
	}
	if got := input(&s); got != 3600 {
		t.Errorf("sums %d, want 3600", got)
	}
}

// A ship invents series, models and hours. They are limited, counted, and do not affect other ships.
func TestSumsAreBounded(t *testing.T) {
	var s Sums
	addMetrics(&s, Source{Voyage: "v1", Ship: "ship-2"}, usagetest.Sample{At: 1, Value: 1})
	const n = 30_000
	for i := range n {
		name := string(rune('a'+i%26)) + time.Duration(i).String()
		addMetrics(&s, ship1, usagetest.Sample{At: i * 1800, Value: 1, Model: name, Session: name})
	}
	if got := input(&s); got != n+1 {
		t.Errorf("sums %d, want %d", got, n+1)
	}
	ship := s.ships["ship-1"]
	if len(ship.rows) > mostRows || len(ship.streams.all) > mostStreams || len(ship.models) > mostModels {
		t.Errorf("%d rows, %d streams, %d models", len(ship.rows), len(ship.streams.all), len(ship.models))
	}
	addMetrics(&s, Source{Voyage: "v1", Ship: "ship-2"}, usagetest.Sample{At: 1, Value: 1})
	if got := s.ships["ship-2"]; len(got.rows) != 1 || s.Count().Again != 1 {
		t.Errorf("the other ship has %d rows, and %+v", len(got.rows), s.Count())
	}
}

// FuzzSums sends series of points from processes that end and start, each export up to three times, in an order that is mixed
// within a window, and saves and loads the sums at some points. Each point must count once.
func FuzzSums(f *testing.F) {
	f.Add(uint64(1), uint8(40))
	f.Add(uint64(2), uint8(255))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all []usagetest.Sample
		want, clock := int64(0), 0
		for process := range 4 {
			start, total := clock, 0
			for range int(n) / 4 {
				step, v := 1+r.IntN(5), r.IntN(100)
				total += v
				want += 2 * int64(v)
				all = append(all,
					usagetest.Sample{Start: clock, At: clock + step, Value: float64(v), Session: "a"},
					usagetest.Sample{Start: start, At: clock + step, Value: float64(total), Session: "c", Cumulative: true})
				clock += step
			}
			clock += process
		}
		var sent []usagetest.Sample
		for _, s := range all {
			for range 1 + r.IntN(3) {
				sent = append(sent, s)
			}
		}
		for i := range sent { // not further back than is remembered exactly
			j := min(len(sent)-1, i+r.IntN(20))
			sent[i], sent[j] = sent[j], sent[i]
		}
		s := new(Sums)
		for _, sm := range sent {
			addMetrics(s, ship1, sm)
			if r.IntN(10) == 0 {
				s = saveAndRead(t, s)
			}
		}
		if got := input(s); got != want {
			t.Errorf("sums %d, want %d", got, want)
		}
	})
}

func saveAndRead(t *testing.T, s *Sums) *Sums {
	t.Helper()
	data, err := json.Marshal(s.State())
	if err != nil {
		t.Fatal(err)
	}
	var saved State
	if err := json.Unmarshal(data, &saved); err != nil {
		t.Fatal(err)
	}
	read, err := saved.Sums()
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(read.State())
	if err != nil || string(again) != string(data) {
		t.Fatalf("saved and read again it is %s, %v; was %s", again, err, data)
	}
	return read
}

func TestReadDelivered(t *testing.T) {
	for _, d := range []Delivered{{}, {"01M8H", 3, 1 << 40}, {`a "b" \ ü`, 1, 2}} {
		if got, ok := readDelivered(d.text()); !ok || got != d {
			t.Errorf("%+v is read as %+v, %v", d, got, ok)
		}
	}
	for _, bad := range []string{"", `"a"`, `"a" 1`, `"a" 1 `, `"a" x 1`, `"a 1 2`, `"a" 1 2 3`} {
		if got, ok := readDelivered(bad); ok {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

// addMetrics sums samples of a source.
func addMetrics(s *Sums, source Source, samples ...usagetest.Sample) {
	md := usagetest.Metrics(samples...)
	source.StampMetrics(md)
	s.AddMetrics(md)
}

func addLogs(s *Sums, source Source, events ...usagetest.Event) {
	ld := usagetest.Logs(events...)
	source.StampLogs(ld)
	s.AddLogs(ld)
}
