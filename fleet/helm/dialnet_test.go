package helm

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// unixServer serves HTTP at a Unix socket until the test ends.
func unixServer(t *testing.T, socket string, handler http.Handler) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

// When a client ends its input, a node of the tailnet notices, if helm reaches that node by the machine's own
// network.
func TestDialNetEnds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "ts")
	t.Setenv("OCAPTAIN_TAILSCALE_SOCKET", socket)
	h := newHelm(t)
	unixServer(t, socket, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"BackendState": "Running", "TUN": true}`)
	}))
	unixServer(t, api.Socket(h.hub), h.routes())
	node, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	go func() {
		if c, err := node.Accept(); err == nil {
			all, _ := io.ReadAll(c)
			_, _ = c.Write(bytes.ToUpper(all))
			c.Close()
		}
	}()
	host, text, _ := net.SplitHostPort(node.Addr().String())
	port, _ := strconv.Atoi(text)
	conn, err := api.NewClient(h.hub).DialNet(t.Context(), host, port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	eventually.Cut(t, conn)
	if _, err := io.WriteString(conn, "last words"); err != nil {
		t.Fatal(err)
	}
	if !closeWrite(conn) {
		t.Fatal("the node cannot be told that no more is said")
	}
	if all, err := io.ReadAll(conn); err != nil || string(all) != "LAST WORDS" {
		t.Errorf("%q, %v", all, err)
	}
}
