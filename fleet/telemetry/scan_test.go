package telemetry

import (
	"errors"
	"strings"
	"testing"
)

// Brackets in strings do not count, whatever escapes a string contains. A string without a closing quote goes on to
// the end.
func TestScanJSON(t *testing.T) {
	deep := strings.Repeat("[", mostDepth)
	for text, want := range map[string]error{
		"":                               nil,
		deep:                             nil,
		deep + "[":                       errDepth,
		deep + `"[`:                      nil,
		deep + `"["`:                     nil,
		deep + `""[`:                     errDepth,
		deep + `"\"["`:                   nil,
		deep + `"\\"[`:                   errDepth,
		deep + `"\\\"["`:                 nil,
		deep + `"a\\\\"["`:               errDepth,
		deep + "]{":                      nil,
		strings.Repeat(",", mostParts):   nil,
		strings.Repeat(",", mostParts+1): errParts,
		`"` + strings.Repeat(",", mostParts+1) + `"`: nil,
	} {
		if got := scanJSON([]byte(text)); !errors.Is(got, want) {
			t.Errorf("%.10s…%s: %v, want %v", text, text[max(0, len(text)-10):], got, want)
		}
	}
}
