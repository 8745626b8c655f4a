// Package apitest is a stand-in for Tailscale's API on loopback, for one tailnet with one OAuth client: tokens, auth
// keys and devices. It follows the documentation and observations of the real service, not the requests of ocaptain's
// client, and misbehaves like the service on demand. Machines join with a key by Join, or a control server uses
// Redeem and Add.
package apitest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// Options configure a fake.
type Options struct {
	// Tags are the tags of the OAuth client. Default: tag:ocaptain-ship.
	Tags []string

	// Scopes are the scopes of the OAuth client. Default: auth_keys and devices:core.
	Scopes []string

	// TokenLife is how long an access token is valid. Default: an hour.
	TokenLife time.Duration

	// Latency is added to every answer.
	Latency time.Duration

	// Late is from how many listings a device is missing after it has joined.
	Late int

	// Removed is called with the node id of each deleted device, before the answer is sent.
	Removed func(node string)
}

// Request is a request that the fake has received.
type Request struct {
	Method string
	URL    string // path and query
	Header http.Header
	Body   string
}

// Fake is a tailnet with its OAuth client.
type Fake struct {
	URL string

	options Options
	server  *httptest.Server
	ended   chan struct{}

	mu       sync.Mutex
	secret   string
	tokens   map[string]token // by text of the token
	keys     map[string]*key  // by id
	texts    []string         // texts of all keys ever made
	told     []func(string)   // called with the text of each key
	devices  []*entry
	numbers  int
	faults   []*Fault
	requests []Request
}

type token struct {
	scopes []string
	until  time.Time
}

// Start starts a fake, which runs until the test ends.
func Start(t testing.TB, options Options) *Fake {
	t.Helper()
	if options.Tags == nil {
		options.Tags = []string{"tag:ocaptain-ship"}
	}
	if options.Scopes == nil {
		options.Scopes = []string{"auth_keys", "devices:core"}
	}
	if options.TokenLife == 0 {
		options.TokenLife = time.Hour
	}
	f := &Fake{options: options, ended: make(chan struct{}), tokens: map[string]token{}, keys: map[string]*key{}}
	f.Renew()
	f.server = httptest.NewServer(f.guard(f.routes()))
	f.URL = f.server.URL
	t.Cleanup(func() {
		close(f.ended)
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

// Secret returns the secret of the OAuth client.
func (f *Fake) Secret() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.secret
}

// Renew makes the secret and all access tokens invalid, and returns the next secret.
func (f *Fake) Renew() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers++
	f.secret = "tskey-client-" + id('k', f.numbers) + "-" + rand.Text() + rand.Text()
	clear(f.tokens)
	return f.secret
}

// ExpireTokens makes all access tokens invalid.
func (f *Fake) ExpireTokens() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.tokens)
}

// Requests returns all requests so far.
func (f *Fake) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Request(nil), f.requests...)
}

// Count counts the requests with a method whose URL path begins with /api/v2 and prefix.
func (f *Fake) Count(method, prefix string) int {
	n := 0
	for _, r := range f.Requests() {
		if r.Method == method && strings.HasPrefix(r.URL, "/api/v2"+prefix) {
			n++
		}
	}
	return n
}

func (f *Fake) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v2/oauth/token", f.token)
	for pattern, route := range map[string]struct {
		scope string
		serve http.HandlerFunc
	}{
		"POST /api/v2/tailnet/-/keys":        {"auth_keys", f.mint},
		"GET /api/v2/tailnet/-/keys/{id}":    {"auth_keys", f.getKey},
		"DELETE /api/v2/tailnet/-/keys/{id}": {"auth_keys", f.deleteKey},
		"GET /api/v2/tailnet/-/devices":      {"devices:core", f.list},
		"GET /api/v2/device/{id}":            {"devices:core", f.getDevice},
		"DELETE /api/v2/device/{id}":         {"devices:core", f.deleteDevice},
	} {
		mux.Handle(pattern, f.admit(route.scope, route.serve))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "not found") })
	return mux
}

// guard records each request, and makes it fail if a fault is planned.
func (f *Fake) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			cut()
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		f.mu.Lock()
		f.requests = append(f.requests, Request{Method: r.Method, URL: r.URL.String(), Header: r.Header.Clone(), Body: string(raw)})
		f.mu.Unlock()
		if !f.wait(r, f.options.Latency) {
			return
		}
		if fault := f.fault(r); fault != nil {
			f.misbehave(fault, next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wait waits for d, and returns false if the client or the fake ends before.
func (f *Fake) wait(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-eventually.Later(d):
		return true
	case <-r.Context().Done():
	case <-f.ended:
	}
	return false
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}
