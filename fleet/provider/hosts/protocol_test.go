package hosts

import (
	"encoding/json"
	"errors"
	"testing"

	"ocaptain/fleet/provider"
)

// An answer that does not contain what was asked is an error.
func TestAnswerIsNone(t *testing.T) {
	e, err := Parse("box")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		do, answer string
		fine       bool
	}{
		{doList, `{}`, false},
		{doList, `{"machines":null}`, false},
		{doList, `{"machines":[]}`, true},
		{doList, `{"machines":[{"name":"ship-0"}]}`, false},
		{doDestroy, `{}`, false},
		{doDestroy, `{"machines":null,"done":true}`, true},
		{doGet, `{}`, false},
	} {
		var a answer
		if err := json.Unmarshal([]byte(c.answer), &a); err != nil {
			t.Fatal(err)
		}
		if err := a.checkAnswer(e, request{Do: c.do, Name: "ship-0"}); (err == nil) != c.fine || errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s %s: %v", c.do, c.answer, err)
		}
	}
}
