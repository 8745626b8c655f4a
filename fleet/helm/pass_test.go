package helm

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// TestPassed passes a connection to a client: it outlives helm, and helm notices when it ends.
func TestPassed(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "oc-") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	hub := fleet.Hub{Runtime: dir}
	ship, err := net.Listen("unix", filepath.Join(dir, "ship"))
	if err != nil {
		t.Fatal(err)
	}
	defer ship.Close()
	ended, returned := make(chan struct{}), make(chan struct{})
	socket, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(returned)
		far, err := net.Dial("unix", ship.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		file, _, ok := passable(far)
		if !ok {
			t.Error("it cannot be passed")
			return
		}
		passConnection(w, file, func() { close(ended) })
	})}
	go func() { _ = server.Serve(socket) }()
	defer server.Close()
	conn, err := api.NewClient(hub).Dial(t.Context(), "voyage", "ship-0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	there, err := ship.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	server.Close()
	lines := bufio.NewReader(there)
	for range 2 {
		if _, err := io.WriteString(conn, "hello\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || line != "hello\n" {
			t.Errorf("%q, %v", line, err)
		}
		if _, err := io.WriteString(there, "back"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 4)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "back" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if !closeWrite(conn) {
		t.Error("it cannot say that no more is said")
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Errorf("got %v", err)
	}
	select {
	case <-ended:
		t.Error("helm has given it up")
	default:
	}
	conn.Close()
	<-ended
	<-returned
}
