package facts

import (
	"testing"
	"time"
)

func TestIdle(t *testing.T) {
	now := time.Unix(1e9, 0)
	var is Idle
	for i, c := range []struct {
		after           time.Duration
		holds, neglects bool
		want            Idle
	}{
		{0, true, false, Idle{}},
		{time.Second, false, false, Idle{Free: now.Add(time.Second)}},
		{time.Minute, false, true, Idle{now.Add(time.Second), now.Add(time.Minute)}},
		{time.Hour, false, true, Idle{now.Add(time.Second), now.Add(time.Minute)}},
		{2 * time.Hour, true, false, Idle{}},
		{3 * time.Hour, false, true, Idle{now.Add(3 * time.Hour), now.Add(3 * time.Hour)}},
	} {
		if is = is.Next(now.Add(c.after), c.holds, c.neglects); is != c.want {
			t.Errorf("%d: %+v, want %+v", i, is, c.want)
		}
	}
}
