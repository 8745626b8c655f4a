package sprites

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKeepAwake asks a machine's own API to stay awake, and then releases it. For a machine without the API there is
// nothing to do.
func TestKeepAwake(t *testing.T) {
	if awakeAt(filepath.Join(t.TempDir(), "none")) != nil {
		t.Error("another machine is kept awake")
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	heard, status := make(chan string, 1), http.StatusOK
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(status)
		heard <- r.Method + " " + r.URL.Path + " " + string(body)
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	keep := awakeAt(socket)
	if err := keep(t.Context(), "x", 5*time.Minute); err != nil {
		t.Error(err)
	}
	if got := <-heard; got != `PUT /v1/tasks/x {"expire":"5m0s"}` {
		t.Errorf("asked %q", got)
	}
	status = http.StatusNotFound // already released
	if err := keep(t.Context(), "x", 0); err != nil {
		t.Error(err)
	}
	if got := <-heard; got != "DELETE /v1/tasks/x " {
		t.Errorf("asked %q", got)
	}
	status = http.StatusTeapot
	if err := keep(t.Context(), "x", time.Minute); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("refused: %v", err)
	}
}
