package facts

import (
	"testing"
	"time"
)

// TestAbsence lets looks at a machine fail: the second look proves that the machine is gone, if it is late enough.
func TestAbsence(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		looks  []time.Duration // times since the first look
		proven bool
	}{
		{nil, false},
		{[]time.Duration{0}, false},
		{[]time.Duration{0, 59 * time.Second}, false},
		{[]time.Duration{0, time.Minute}, true},
		{[]time.Duration{0, 30 * time.Second, 61 * time.Second}, true},
		{[]time.Duration{0, 2 * time.Minute, time.Second}, true},
	} {
		var a Absence
		for _, after := range c.looks {
			a = a.Missed(at.Add(after), time.Minute)
		}
		if a.Proven != c.proven {
			t.Errorf("after %v it is %+v", c.looks, a)
		}
	}
}
