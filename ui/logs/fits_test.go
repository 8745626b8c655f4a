package logs

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// Fits selects only lines about provisioning; such a line from the ship itself does not count.
func TestFits(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	if err := os.MkdirAll(d.LogsDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	const log = `{"t":"2026-03-14T12:00:00Z","ship":"ship-1","role":"worker","kind":"provision","text":"create …","data":{"build":1,"step":"create","state":"start"}}
{"t":"2026-03-14T12:00:01Z","ship":"ship-1","role":"worker","kind":"provision.failed","text":"create failed after 1s: no room","data":{"build":1,"step":"create","state":"failed"}}
{"t":"2026-03-14T12:00:02Z","ship":"ship-1","role":"worker","kind":"provision","text":"all is well","journal":"j","seq":1}
{"t":"2026-03-14T12:00:03Z","ship":"ship-1","role":"worker","kind":"say","text":"hello","journal":"j","seq":2}
`
	if err := os.WriteFile(d.LogFile("ship-1"), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, last := range []int{-1, 2} {
		var got []string
		if _, err := ShowExisting(t.Context(), d, Query{Fits: true}, last, func(l Line) error {
			got = append(got, l.Words)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, "\n") != "create …\ncreate failed after 1s: no room" {
			t.Errorf("the last %d are %q", last, got)
		}
	}
}
