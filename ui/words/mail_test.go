package words

import (
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
)

func TestSent(t *testing.T) {
	for _, tt := range []struct {
		said api.Said
		want string
		well bool
	}{
		{api.Said{Submitted: true}, "submitted", true},
		{api.Said{Submitted: true, Altered: true}, "submitted; its prompt cannot hold tabs", true},
		{api.Said{Queued: "it sleeps"}, "queued: it ", false},
		{api.Said{}, "typed; the agent has not told", false},
	} {
		if text, well := MessageOutcome(tt.said); !strings.HasPrefix(text, tt.want) || well != tt.well {
			t.Errorf("%+v: %q, %t", tt.said, text, well)
		}
	}
}
