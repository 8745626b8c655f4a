package cli

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/machines"
)

func TestConfirm(t *testing.T) {
	lost := []string{"ship-0 has 2 files that are not merged"}
	for _, tt := range []struct {
		name, typed string
		live, force bool
		lost        []string
		want        int
	}{
		{"force", "", false, true, lost, OK},
		{"no terminal", "y\n", false, false, nil, Refused},
		{"yes", "y\n", true, false, nil, OK},
		{"default is no", "\n", true, false, nil, Refused},
		{"end of input", "", true, false, nil, Refused},
		{"yes is not the name", "y\n", true, false, lost, Refused},
		{"the name", testVoyage + "\n", true, false, lost, OK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, out := testBridge(t, 80)
			b.in, b.live = strings.NewReader(tt.typed), tt.live
			err := b.confirm(context.Background(), "destroy 2 ships of "+testVoyage, tt.lost, testVoyage, tt.force)
			if exitCode(err) != tt.want {
				t.Errorf("got %v", err)
			}
			if tt.live && tt.lost != nil && !strings.Contains(out.String(), "! ship-0 has 2 files that are not merged\nTo destroy 2 ships of "+testVoyage+", type "+testVoyage) {
				t.Errorf("shown:\n%s", out)
			}
		})
	}
}

func TestLosses(t *testing.T) {
	b, _ := testBridge(t, 80)
	_, board := loadTest(t, b)
	want := []string{
		"ship-0 has 4 files that are not merged, for task 3",
		"ship-1 has 1 file that is not merged, for task 4",
		"ship-2 cannot be reached, so what it holds is not known",
	}
	if got := losses(board); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDenied(t *testing.T) {
	began := time.Now()
	stays := machines.Record{ID: machines.ID{Name: "m0"}, Unwanted: true, Denied: began.Add(time.Second), Trouble: "401"}
	for _, tt := range []struct {
		name string
		all  []machines.Record
		want string
	}{
		{"no machines", nil, ""},
		{"one that stays", []machines.Record{stays}, "m0: 401"},
		{"another that may go", []machines.Record{stays, {Unwanted: true}}, ""},
		{"another that was not tried", []machines.Record{{Denied: stays.Denied}, stays}, ""},
		{"another that was denied before", []machines.Record{{Unwanted: true, Denied: began.Add(-time.Second)}, stays}, ""},
	} {
		if got := denied(tt.all, began); got != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
