package cli

import (
	"testing"
	"time"
)

func TestNextTime(t *testing.T) {
	now := time.Date(2026, 11, 28, 22, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"23:00":            "2026-11-28 23:00",
		"08:00":            "2026-11-29 08:00",
		"22:30":            "2026-11-29 22:30",
		"2026-12-24 08:00": "2026-12-24 08:00",
		"2026-11-28 08:00": "",
		"8":                "",
		"25:00":            "",
		"tomorrow":         "",
		"":                 "",
	} {
		at, err := nextTime(now, text)
		if got := at.Format("2006-01-02 15:04"); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q is %s, %v; want %q", text, got, err, want)
		}
	}
}
