package jsonout

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
	"ocaptain/ui/jsonout/jsonouttest"
)

// fields has fields of every kind that Marshal changes or leaves alone.
type fields struct {
	At      time.Time         `json:"created_at"`
	Gap     *time.Duration    `json:"usual_gap_time,omitempty"`
	Gaps    []time.Duration   `json:"gaps"`
	By      map[string]inner  `json:"by"`
	List    []string          `json:"list"`
	Raw     json.RawMessage   `json:"raw,omitempty"`
	Any     any               `json:"any"`
	Strings map[string]string `json:"strings"`
	inner
}

type inner struct {
	Depth int `json:"max_depth"`
}

func TestMarshal(t *testing.T) {
	gap := 1500 * time.Millisecond
	v := fields{
		At: time.Date(2026, 11, 22, 20, 40, 0, 250e6, time.FixedZone("", 7200)), Gap: &gap, Gaps: []time.Duration{time.Minute},
		By: map[string]inner{"a_b": {2}}, Raw: json.RawMessage(`{"x_y":null}`), Any: map[string]any{"k_v": time.Second}, inner: inner{3},
	}
	raw, err := Marshal(v)
	want := `{"createdAt":"2026-11-22T18:40:00.25Z","usualGapTime":1.5,"gaps":[60],"by":{"a_b":{"maxDepth":2}},"list":[],` +
		`"raw":{"x_y":null},"any":{"k_v":1000000000},"strings":{},"maxDepth":3}`
	if err != nil || string(raw) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, raw, want)
	}
	if raw, err := Marshal([]fields(nil)); err != nil || string(raw) != "[]" {
		t.Errorf("no list: %s, %v", raw, err)
	}
}

// Schemas fit the JSON of full and of empty values, name every field, and allow other fields when they are open.
func TestSchema(t *testing.T) {
	for _, full := range []bool{false, true} {
		var board fleet.Board
		var f fields
		if full {
			cleantest.Fill(&board, true)
			f = fields{List: []string{"x"}, By: map[string]inner{"x": {}}, Gaps: []time.Duration{1}}
		}
		for _, v := range []any{board, f, []tasks.State{}, board.Tasks} {
			fits(t, v)
		}
	}
	open, err := Schema(reflect.TypeFor[fields](), false)
	if err != nil || open.AdditionalProperties != nil || open.Properties["by"].AdditionalProperties.AdditionalProperties != nil {
		t.Errorf("the schema is closed: %v", err)
	}
}

func fits(t *testing.T, v any) {
	t.Helper()
	raw, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Schema(reflect.TypeOf(v), true)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := jsonouttest.Fits(s, string(raw)); err != nil || n != 1 {
		t.Errorf("%T: %d values, %v", v, n, err)
	}
	if strings.Contains(string(raw), "created_at") {
		t.Errorf("%T: a name is not camelCase", v)
	}
}
