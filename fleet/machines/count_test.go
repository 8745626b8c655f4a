package machines

import (
	"errors"
	"slices"
	"testing"

	"ocaptain/fleet/provider"
)

func TestCounted(t *testing.T) {
	lost := provider.Machine{State: provider.Unknown, Note: "host build1: no route"}
	record, listed := &Record{}, &provider.Machine{State: provider.Running}
	for name, tt := range map[string]struct {
		all  []Machine
		err  error
		want []Count
	}{
		"listed":          {[]Machine{{Record: record, Listed: listed}, {Listed: listed}}, nil, []Count{{Recorded: 1, Machines: 2}}},
		"not listed":      {[]Machine{{Record: record, Absent: "it may be gone"}}, nil, []Count{{Recorded: 1, Unlisted: 1}}},
		"others'":         {[]Machine{{Listed: listed, Others: true}}, nil, nil},
		"cannot be asked": {[]Machine{{Record: record}}, errors.New("no \x1b[2Jroute"), []Count{{Recorded: 1, Why: "no route"}}},
		"on the tailnet":  {[]Machine{{Record: &Record{Gone: true}, Absent: "it is gone"}}, nil, nil},
		"never used":      {nil, provider.ErrNoLogin, nil},
		"token is gone":   {[]Machine{{Record: record}}, provider.ErrNoLogin, []Count{{Recorded: 1, Why: provider.ErrNoLogin.Error()}}},
		"one is silent":   {[]Machine{{Listed: listed}, {Record: record, Listed: &lost}}, nil, []Count{{Recorded: 1, Machines: 2, Why: "host build1: no route"}}},
	} {
		got := CountOf(tt.all, []Answer{{Err: tt.err}}, &Voyages{})
		if !slices.Equal(got.Providers, tt.want) {
			t.Errorf("%s: %+v", name, got.Providers)
		}
		if others := slices.ContainsFunc(tt.all, func(m Machine) bool { return m.Others }); others != (len(got.Others) > 0) {
			t.Errorf("%s: others are %+v", name, got.Others)
		}
	}
}
