package api

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
)

// If helm ends while it handles a message, the message is sent again to the next helm, with the same id.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "oc") // short, as the path of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	h := fleet.Hub{Runtime: dir}
	socket, err := net.Listen("unix", Socket(h))
	if err != nil {
		t.Fatal(err)
	}
	var mu gosync.Mutex
	var ids []string
	ends := 0 // how often helm ends before it answers
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in SayRequest
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Text != "hello" {
			t.Errorf("it came as %+v, %v", in, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if ids = append(ids, in.ID); len(ids) <= ends {
			panic(http.ErrAbortHandler)
		}
		_ = json.NewEncoder(w).Encode(Said{ID: in.ID, Submitted: true})
	})}
	done := make(chan error, 1)
	go func() { done <- server.Serve(socket) }()
	defer func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()

	asked := 0
	again := func(context.Context) (*Client, error) { asked++; return NewClient(h), nil }
	for _, tt := range []struct {
		ends, comes int
		arrives     bool
	}{{0, 1, true}, {2, 3, true}, {100, sendTries, false}} {
		mu.Lock()
		ids, ends, asked = nil, tt.ends, 0
		mu.Unlock()
		said, err := Send(t.Context(), NewClient(h), again, "v", "ship-0", SayRequest{Text: "hello"})
		if (err == nil) != tt.arrives || said.Submitted != tt.arrives || !tt.arrives && !errors.Is(err, ErrDown) {
			t.Errorf("%d ends: %+v, %v", tt.ends, said, err)
		}
		mu.Lock()
		if len(ids) != tt.comes || asked != tt.comes-1 || len(slices.Compact(slices.Clone(ids))) != 1 || ids[0] == "" {
			t.Errorf("%d ends: it came as %q, helm was asked for %d times", tt.ends, ids, asked)
		}
		mu.Unlock()
	}
	none := errors.New("it does not start")
	if _, err := Send(t.Context(), NewClient(h), func(context.Context) (*Client, error) { return nil, none }, "v", "ship-0", SayRequest{Text: "hello"}); !errors.Is(err, none) {
		t.Errorf("got %v", err)
	}
}
