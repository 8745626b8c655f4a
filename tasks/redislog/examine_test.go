package redislog_test

import (
	"strings"
	"testing"

	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
)

func TestExamine(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // a part of the expected defect, "" for no defect
	}{
		{nil, ""},
		{[]string{"--appendonly", "no"}, "loses sessions when it ends"},
		{[]string{"--maxmemory-policy", "allkeys-lru"}, "allkeys-lru"},
		{[]string{"--replicaof", "127.0.0.1 1"}, "copy of another"},
	} {
		h, err := redislog.Examine(t.Context(), redistest.Start(t, test.args...).URL, "")
		if err != nil || h.Version == "" || h.Latency == 0 {
			t.Errorf("%v: %+v, %v", test.args, h, err)
		}
		switch {
		case test.want == "" && len(h.Defects) == 0:
		case len(h.Defects) != 1 || test.want == "" || !strings.Contains(h.Defects[0].What, test.want):
			t.Errorf("%v: defects are %v, want one of %q", test.args, h.Defects, test.want)
		}
	}
}
