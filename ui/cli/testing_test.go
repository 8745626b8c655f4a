package cli

import (
	"net"
	"net/http"
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

func mustMkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

// serveHelm serves a handler in place of helm until the test ends.
func serveHelm(t *testing.T, h fleet.Hub, answer http.HandlerFunc) {
	t.Helper()
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", api.Socket(h))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: answer}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
}
