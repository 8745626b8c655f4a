package logs

import (
	"encoding/json"
	"testing"
	"time"

	"ocaptain/fleet"
)

// usual are lines like those of helm.
var usual = []fleet.LogLine{
	{At: present, Ship: "ship-0", Role: "worker", Kind: "say", Text: "hello"},
	{At: present.In(time.FixedZone("", -5400)), Ship: "ship-12", Role: "planner", Kind: "tool", Turn: 12, Task: "7", Text: "Read \"a\\b\"\n\tand <go> …", Journal: "01J", Seq: 12345},
	{At: present.Add(123456789), Ship: "ship-3", Role: "validator", Kind: "agent.state", Data: json.RawMessage(`{"state":"waiting","why":"a [b] {c}","n":[1,-2.5e3,true,null]}`)},
	{At: present.Add(1000), Ship: "ship-3", Role: "odd", Kind: "agent.state", Data: json.RawMessage(`{"state":"working"}`)},
	{At: time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC), Ship: "ship-3", Kind: "note", Text: " \n"},
	{At: present, Ship: "ship-4", Kind: "error", Turn: 1, Text: "tail of spaces  "},
}

// scanLine accepts what helm writes.
func TestScanKnowsWhatHelmWrites(t *testing.T) {
	for _, l := range usual {
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := scanLine(raw); !ok {
			t.Errorf("not scanned: %s", raw)
		}
	}
}

// What scanLine accepts, it reads like encoding/json, and its text equals that of Parse.
func FuzzScan(f *testing.F) {
	for _, l := range usual {
		raw, err := json.Marshal(l)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, odd := range []string{
		`{"t":"2026-02-29T11:12:20Z"}`, `{"t":"2026-03-01T11:12:20.1234567899Z","text":"x"}`, `{"t":"2026-03-01T11:12:20,5Z","text":"x"}`,
		`{"t":"2026-03-01T11:12:20+24:00","text":"x"}`, `{"t":"2026-03-01T24:00:00Z","text":"x"}`, `{"T":"2026-03-01T11:12:20Z","text":"x"}`,
		`{"t":"2026-03-01T11:12:20Z","text":"a","text":"b"}`, `{"t":"2026-03-01T11:12:20Z","text":null}`, `{"t":"2026-03-01T11:12:20Z","turn":01,"text":"x"}`,
		`{"t":"2026-03-01T11:12:20Z","turn":1.5,"text":"x"}`, `{"t":"2026-03-01T11:12:20Z","text":"x",}`, `{"t":"2026-03-01T11:12:20Z","text":"x"} x`,
		`{"t":"2026-03-01T11:12:20Z","text":"\ud83d\ude00 \u001b[1m \u00e4 \x"}`, ` { "t" : "2026-03-01T11:12:20Z" , "text" : "\u0041\u0000" } `,
		`{"t":"2026-03-01T11:12:20Z","data":{"a":[[[{}]]],"b":-0.1E-5},"kind":"proposal"}`, "{\"t\":\"2026-03-01T11:12:20Z\",\"text\":\"\xff\xe2\x80\xae\"}",
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, parsed := Parse(raw)
		var plain fleet.LogLine
		_ = json.Unmarshal(raw, &plain)
		if f, ok := scanLine(raw); ok {
			if !parsed || f.at != l.At.UnixNano() || string(f.ship) != plain.Ship || string(f.role) != plain.Role || string(f.kind) != plain.Kind || f.turn != plain.Turn {
				t.Fatalf("%q: %+v, but %+v", raw, f, l)
			}
			if f.plain && string(f.text) != plain.Text {
				t.Fatalf("%q: text %q, but %q", raw, f.text, plain.Text)
			}
		}
		r, ok := parseRecord(raw, 3, 7)
		if want := parsed && l.Words != ""; ok != want {
			t.Fatalf("%q: a record %v, but %q", raw, ok, l.Words)
		}
		want := ""
		if ok {
			want = l.WithoutTime()
			if r.at != l.At.UnixNano() || r.offset != 7 || r.file != 3 || int(r.length) != len(raw) {
				t.Fatalf("%q: %+v", raw, r)
			}
		}
		if got := string(appendSaid([]byte("before "), raw)); got != "before "+want {
			t.Fatalf("%q: says %q, want %q", raw, got, want)
		}
	})
}
