package voyage

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/telemetry"
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/tasks/eventually"
)

// TestForwardTelemetry sails a voyage whose collector hangs: it comes to its end. What was exported is sent by the next helm, once.
func TestForwardTelemetry(t *testing.T) {
	t.Parallel()
	collected, err := telemetry.Open(filepath.Join(t.TempDir(), "collected"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = collected.Close() })
	receiver := telemetry.NewReceiver(collected, usage.Source{Voyage: usage.Local})
	var answers atomic.Bool
	asked := make(chan struct{}, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers.Load() {
			receiver.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}))
	t.Cleanup(collector.Close)

	hub := helmtest.Hub(t)
	const each = 10
	d := helmtest.Voyage(t, hub, fleet.Voyage{Telemetry: fleet.Telemetry{Forward: collector.URL}}, "#!/bin/sh\n", helmtest.Task("1", exports(each)), helmtest.Task("2", exports(each)))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Receives(t, "a request that hangs", asked)
	eventually.Holds(t, "the end", v.is(fleet.Complete))
	eventually.Holds(t, "all exports", func() bool { return inputs(t, d, nothing)[usage.Key{}] == 2*each })
	h.Close()
	answers.Store(true)
	openIt(t, startHelm(t, hub), d)
	eventually.Holds(t, "all that is sent on", func() (all bool) {
		collected.View(func(s *usage.Sums) { all = s.Total().Tokens.Input == 2*each })
		return all
	})
	collected.View(func(s *usage.Sums) {
		if n := s.Count(); n.Again > 0 {
			t.Errorf("it came again: %+v", n)
		}
	})
}

// TestForwardTelemetryNowhere has an endpoint in voyage.json that is none: the captain is told, and the voyage goes on.
func TestForwardTelemetryNowhere(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Telemetry: fleet.Telemetry{Forward: "collector"}}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	v := openIt(t, startHelm(t, hub), d)
	eventually.Holds(t, "a note", func() bool {
		for _, n := range v.Notes.List() {
			if strings.Contains(n.Text, "telemetry.forward") {
				return true
			}
		}
		return false
	})
}
