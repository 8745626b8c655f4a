package header

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/connection"
)

// A voyage whose board nobody has read yet has a header, too, however helm is.
func TestWithoutBoard(t *testing.T) {
	for _, h := range []Header{
		{},
		{ID: "voyage-1"},
		{ID: "voyage-1", Stale: true},
		{ID: "voyage-1", Helm: connection.State{Client: new(api.Client)}},
		{ID: "voyage-1", Helm: connection.State{Err: connection.ErrIdle}},
	} {
		if row := ansi.Strip(h.View(60)); !strings.Contains(row, h.ID) || ansi.StringWidth(row) != 60 {
			t.Errorf("%+v: %q", h, row)
		}
	}
}
