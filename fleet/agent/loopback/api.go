// Package loopback stands in for the service of Claude Code on this machine: it speaks the Messages API, and a Go
// function answers in place of the model.
package loopback

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request in bytes; real ones have 50–80 kB.
const maxBody = 32 << 20

// API stands in for the service on loopback. Its methods are safe for concurrent use.
type API struct {
	URL string // the value for ANTHROPIC_BASE_URL

	brain  Brain
	bare   toolless
	server http.Server
	served sync.WaitGroup
	ledger
}

// Start starts an API. The caller has to close it.
func Start(brain Brain) (*API, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("loopback API: %w", err)
	}
	a := &API{URL: "http://" + listener.Addr().String(), brain: brain, ledger: newLedger()}
	mux := http.NewServeMux()
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/messages", a.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", a.countTokens)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, Error{Status: http.StatusNotFound, Type: "not_found_error", Message: "no such endpoint: " + r.URL.Path})
	})
	a.server.Handler = mux
	a.served.Go(func() { _ = a.server.Serve(listener) }) // returns when the server is closed
	return a, nil
}

// Close ends the API, and replies whose model is still thinking.
func (a *API) Close() {
	_ = a.server.Close()
	a.served.Wait()
}

func (a *API) messages(w http.ResponseWriter, r *http.Request) {
	req, size, ok := read(w, r)
	if !ok {
		return
	}
	answer := a.bare.answer
	switch {
	case req.Compacts():
		answer = summarize
	case len(req.Tools) > 0:
		answer = a.brain
	}
	reply := answer(req)
	pause(r, reply.After)
	if reply.Error != nil {
		a.record(req, reply, usage{})
		refuse(w, *reply.Error)
		return
	}
	out := newAnswer(req, reply, size)
	cut := reply.Cut && req.Stream
	if cut {
		a.record(req, reply, usage{})
	} else {
		a.record(req, reply, out.Usage)
	}
	w.Header().Set("Request-Id", newID("req_"))
	if req.Stream && !reply.Plain {
		stream(w, out, cut)
		return
	}
	write(w, http.StatusOK, out)
}

// summarize stands for a model that compacts a conversation. It takes a while, so that tests can see it.
func summarize(Request) Reply {
	r := Say("<analysis>It is all there.</analysis><summary>Work went on as the prompt says.</summary>")
	r.After = 2 * time.Second
	return r
}

func (a *API) countTokens(w http.ResponseWriter, r *http.Request) {
	if _, size, ok := read(w, r); ok {
		write(w, http.StatusOK, map[string]int{"input_tokens": tokens(size)})
	}
}

// read parses a request. If the request is bad, it answers with an error.
func read(w http.ResponseWriter, r *http.Request) (req Request, size int, ok bool) {
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	if key == "" {
		refuse(w, Error{Status: http.StatusUnauthorized, Type: "authentication_error", Message: "x-api-key header is required"})
		return req, 0, false
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		req, err = parseRequest(data)
	}
	if err != nil {
		refuse(w, Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return req, 0, false
	}
	req.Session = r.Header.Get("X-Claude-Code-Session-Id")
	req.Key, req.Client = key, r.UserAgent()
	return req, len(data), true
}

// refuse answers with an error in the service's form.
func refuse(w http.ResponseWriter, e Error) {
	for name, values := range e.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	write(w, e.Status, map[string]any{
		"type":  "error",
		"error": map[string]string{"type": e.Type, "message": e.Message},
	})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client is gone
}
