package stage

import (
	"strings"
	"testing"

	"ocaptain/sync/gitflow/filters"
)

func TestLacksText(t *testing.T) {
	if all := lacksText(filters.Lacks{}); len(all) > 0 {
		t.Errorf("of a plain repository: %q", all)
	}
	all := lacksText(filters.Lacks{Submodules: strings.Fields("a b c d e f g"), Filters: []string{"lfs"}})
	if len(all) != 2 || !strings.HasSuffix(all[0], ": a, b, c, d, e and 2 more") || !strings.HasSuffix(all[1], ": lfs") {
		t.Errorf("got %q", all)
	}
}
