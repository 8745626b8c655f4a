//go:build long

package launch_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/summed"
)

// A helm that dies after it has stored the secrets, and before it has recorded that there are ships to make, leaves
// an empty voyage. The next helm gets the request again.
func TestHelmDiesBeforeItPlansShips(t *testing.T) {
	y := realYard(t)
	o := tiny(t, y)
	runtime, err := fleet.RuntimeDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	dying := y.Hub
	dying.Runtime = runtime
	listener, err := net.Listen("unix", api.Socket(dying))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		d, err := fleet.Voyages(y.Hub.Voyages).Find("")
		if err != nil {
			t.Error(err)
		}
		var request api.SailRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Ships != 2 {
			t.Errorf("asked for %+v, %v", request, err)
		}
		if err := summed.Write(d.Secrets(), map[string]any{"secrets": request.Secrets, "env": request.Env}, 0o600); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler) // the connection breaks, as when the process dies
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	calls, ensure := 0, y.Helm
	y.Helm = func(ctx context.Context) (*api.Client, error) {
		if calls++; calls == 1 {
			return api.NewClient(dying), nil
		}
		return ensure(ctx)
	}
	var said []string
	d, err := y.StartVoyage(t.Context(), o, func(p api.Progress) {
		if p.State == api.StepNote {
			said = append(said, p.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(said) == 0 || said[0] != "helm was lost and comes back; the voyage goes on" {
		t.Errorf("it said %q", said)
	}
	arrives(t, d)
	y.Helm = ensure
}
