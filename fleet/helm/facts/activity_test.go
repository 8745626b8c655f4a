package facts

import (
	"testing"
	"time"

	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

func TestActivity(t *testing.T) {
	now := time.Now()
	is := func(state proto.State, edit ...func(*Activity)) Activity {
		a := Activity{Talks: true, Connected: true, Known: resolve.Known{State: proto.AgentState{State: state}, StateAt: now.Add(-time.Minute), Pulse: proto.Pulse{Agent: true}}}
		for _, fn := range edit {
			fn(&a)
		}
		return a
	}
	waits, mail := func(a *Activity) { a.Waits = 1 }, func(a *Activity) { a.Mail = 1 }
	fresh, away := func(a *Activity) { a.Known.StateAt = now }, func(a *Activity) { a.Connected = false }
	silent := func(a *Activity) { a.Talks = false }
	dead := func(a *Activity) { a.Known.Exit = &proto.AgentExited{} }
	done := func(a *Activity) { a.Known.Exit = &proto.AgentExited{Done: true} }
	type want struct{ finished, rests, done, reached, soon, free bool }
	for name, c := range map[string]struct {
		is   Activity
		want want
	}{
		"it works":                    {is(proto.StateWorking), want{reached: true, soon: true}},
		"it starts":                   {is(proto.StateStarting), want{reached: true, soon: true, free: true}},
		"it is limited":               {is(proto.StateLimited), want{reached: true}},
		"it is idle":                  {is(proto.StateIdle), want{rests: true, done: true, reached: true, soon: true, free: true}},
		"it rests":                    {is(proto.StateResting), want{rests: true, done: true, reached: true, soon: true, free: true}},
		"it has just become idle":     {is(proto.StateIdle, fresh), want{reached: true, soon: true, free: true}},
		"it waits for work":           {is(proto.StateIdle, waits), want{done: true, reached: true, soon: true, free: true}},
		"it waits in its turn":        {is(proto.StateWorking, waits), want{reached: true, soon: true, free: true}},
		"a message is on its way":     {is(proto.StateIdle, mail), want{rests: true, done: true, reached: true, soon: true}},
		"its ship is out of reach":    {is(proto.StateIdle, away), want{rests: true, done: true}},
		"it takes no messages":        {is(proto.StateIdle, silent), want{done: true, soon: true}},
		"it takes none and waits":     {is(proto.StateIdle, silent, waits), want{done: true, soon: true, free: true}},
		"it has crashed":              {is(proto.StateWorking, dead), want{soon: true}},
		"it has ended for good":       {is(proto.StateIdle, done), want{finished: true, done: true, soon: true}},
		"it has ended in its work":    {is(proto.StateWorking, done), want{finished: true, done: true, soon: true}},
		"nothing is known of it yet":  {Activity{Talks: true, Connected: true}, want{}},
		"it ended a moment ago, done": {is(proto.StateIdle, done, fresh), want{finished: true, done: true, soon: true}},
	} {
		if got := (want{c.is.Finished(), c.is.Rests(now), c.is.Done(now), c.is.Reached(), c.is.SoonFree(), c.is.Free()}); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
