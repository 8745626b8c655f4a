package blame

import (
	"errors"
	"fmt"
	"testing"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

func TestJudge(t *testing.T) {
	refusal := &tasks.Refusal{Why: tasks.Stale, Task: "1"}
	clash := &sync.Conflict{Paths: []string{"a"}}
	hub := &sync.Hindered{Why: "locked"}
	captains := &sync.Hindered{Why: "in the way", Paths: []string{"a"}}
	away := &wire.Error{Code: proto.CodeAway, Text: "the hub's disk is full"}
	for _, test := range []struct {
		err  error
		want Blame
	}{
		{nil, Nothing},
		{errors.New("no such file"), Unknown},
		{refusal, Asker},
		{clash, Clash},
		{&NotLetIn{}, Guard},
		{&NotPassed{"FAIL"}, Work},
		{&sync.Refused{Why: "too large", Paths: []string{"a"}}, Work},
		{&ShipTrouble{errors.New("connection lost")}, Ship},
		{&ShipTrouble{hub}, Ship},
		{hub, Hub},
		{captains, Captain},
		{away, Away},
		{&wire.Error{Code: proto.CodeCheck}, Unknown},
		{errors.Join(refusal, away), Away}, // the change after the refusal could not be written
		{errors.Join(refusal, clash), Asker},
	} {
		is, cause := Judge(test.err)
		if is != test.want || test.err != nil && !errors.Is(test.err, cause) {
			t.Errorf("%v: blame %d for %v, want %d", test.err, is, cause, test.want)
		}
		if wrapped, _ := Judge(fmt.Errorf("merge: %w", test.err)); test.err != nil && wrapped != test.want {
			t.Errorf("%v, wrapped: blame %d, want %d", test.err, wrapped, test.want)
		}
	}
}
