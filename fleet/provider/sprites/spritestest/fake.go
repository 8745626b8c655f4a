// Package spritestest is a stand-in for sprites.dev on loopback. It follows the documentation and observations of the
// real service, not the requests of ocaptain's client, and misbehaves like the service on demand. Each sprite is a
// sandbox on this machine with its own file system, network and processes, so commands really run.
//
// It has these parts of the service: sprites (create, list, get, put, delete), commands without a terminal over WebSocket, the
// tunnel, files (read, write, list, delete, rename), services, the network policy, and, inside a sprite, the tasks that keep it
// awake. It has no terminals, sessions, checkpoints or commands over plain HTTP.
package spritestest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// Options configure a fake.
type Options struct {
	// Exe and Args start a program that calls local.Serve, by which the fake enters a sandbox.
	Exe  string
	Args []string

	// Second is how long a second at sprites.dev takes here. Default: a second.
	Second time.Duration

	// CreatesPerMinute is how many sprites may be made per minute; 0 for any number.
	CreatesPerMinute int

	// Org is the name of the organization. Default: acme.
	Org string

	// Bare makes tokens that do not contain the organization.
	Bare bool

	// Running is how many sprites the organization may have; 0 for any number.
	Running int

	// Latency is added to every answer.
	Latency time.Duration

	// ColdAfter is how many seconds after its pause a sprite loses its processes; 0 for never.
	ColdAfter int

	// RootServices makes services run as the superuser with almost no environment, and everything else as the user
	// sprite. The test must be run by the superuser.
	RootServices bool

	// Env is added to the environment of everything in sprites.
	Env map[string]string

	// Outside are TCP addresses on loopback that sprites reach as this machine does; they reach nothing else. Carrier is
	// the argument with which the test binary calls Carry.
	Outside []string
	Carrier string
}

// IdlePause is how many seconds a sprite must be unused before it is paused.
const IdlePause = 30

// Fake is one organization at sprites.dev.
type Fake struct {
	Faults
	URL  string // value for SPRITES_API_URL
	Root string // directory of everything on the sprites

	options Options
	t       testing.TB
	root    string
	server  *httptest.Server
	late    sync.WaitGroup // requests that are executed after their client has left

	mu       sync.Mutex
	token    string
	sprites  map[string]*sprite
	before   map[string]*sprite // sprites from before the last one came or went
	creates  []time.Time
	requests []string
	headers  []string
	numbers  int
	ended    chan struct{}
}

// Start starts a fake, which runs until the test ends.
func Start(t testing.TB, options Options) *Fake {
	t.Helper()
	slottest.Take(t, 1)
	if options.Second == 0 {
		options.Second = time.Second
	}
	if options.Org == "" {
		options.Org = "acme"
	}
	root, err := os.MkdirTemp("/tmp", "os-") // short, as paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	f := &Fake{
		options: options, t: t, root: root, sprites: map[string]*sprite{}, ended: make(chan struct{}),
	}
	f.token = f.newToken(1)
	f.server = httptest.NewServer(f.guard(f.routes()))
	f.URL, f.Root = f.server.URL, root
	if err := f.lead(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(f.ended)
		f.late.Wait()
		f.server.CloseClientConnections()
		f.mu.Lock()
		var all []*sprite
		for _, s := range f.sprites {
			all = append(all, s)
		}
		f.mu.Unlock()
		for _, s := range all {
			s.destroy()
		}
		f.server.Close()
		_ = os.RemoveAll(root)
	})
	return f
}

func (f *Fake) newToken(n int) string {
	if f.options.Bare {
		return rand.Text()
	}
	return fmt.Sprintf("%s/org-1/token-%d/%s", f.options.Org, n, rand.Text())
}

// Token returns the current token of the organization.
func (f *Fake) Token() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.token
}

// Revoke makes the token invalid and returns the next one. It closes connections that were opened with the old token.
func (f *Fake) Revoke() string {
	f.mu.Lock()
	f.token = f.newToken(2)
	token := f.token
	all := make([]*sprite, 0, len(f.sprites))
	for _, s := range f.sprites {
		all = append(all, s)
	}
	f.mu.Unlock()
	for _, s := range all {
		s.dropAll()
	}
	return token
}

// Requests returns the method and the full URL of every request so far.
func (f *Fake) Requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.requests...)
}

// Headers returns the header lines of every request so far, except the one with the token.
func (f *Fake) Headers() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.headers...)
}

func (f *Fake) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sprites", f.create)
	mux.HandleFunc("GET /v1/sprites", f.list)
	for pattern, serve := range map[string]func(*sprite, http.ResponseWriter, *http.Request){
		"GET /v1/sprites/{name}":                            (*sprite).get,
		"PUT /v1/sprites/{name}":                            (*sprite).change,
		"DELETE /v1/sprites/{name}":                         f.remove,
		"GET /v1/sprites/{name}/exec":                       f.exec,
		"GET /v1/sprites/{name}/proxy":                      (*sprite).proxy,
		"GET /v1/sprites/{name}/fs/read":                    (*sprite).readFile,
		"PUT /v1/sprites/{name}/fs/write":                   (*sprite).writeFile,
		"GET /v1/sprites/{name}/fs/list":                    (*sprite).listFiles,
		"DELETE /v1/sprites/{name}/fs/delete":               (*sprite).deleteFile,
		"POST /v1/sprites/{name}/fs/rename":                 (*sprite).renameFile,
		"GET /v1/sprites/{name}/services":                   (*sprite).listServices,
		"GET /v1/sprites/{name}/services/{service}":         (*sprite).getService,
		"PUT /v1/sprites/{name}/services/{service}":         f.putService,
		"DELETE /v1/sprites/{name}/services/{service}":      (*sprite).deleteService,
		"POST /v1/sprites/{name}/services/{service}/{verb}": f.driveService,
		"GET /v1/sprites/{name}/policy/network":             (*sprite).getPolicy,
		"POST /v1/sprites/{name}/policy/network":            (*sprite).setPolicy,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			s := f.sprites[r.PathValue("name")]
			f.mu.Unlock()
			if s == nil {
				fail(w, http.StatusNotFound, "sprite not found", "")
				return
			}
			serve(s, w, r)
		})
	}
	return mux
}

// guard runs before all routes: it adds latency, checks the token, and misbehaves.
func (f *Fake) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.requests = append(f.requests, r.Method+" "+r.URL.String())
		for name, values := range r.Header {
			if name != "Authorization" {
				f.headers = append(f.headers, name+": "+strings.Join(values, ", "))
			}
		}
		token := f.token
		f.mu.Unlock()
		if !f.wait(r, f.options.Latency) {
			return
		}
		if got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || got != token {
			fail(w, http.StatusUnauthorized, "unauthorized", "invalid token")
			return
		}
		if fault := f.next(r); fault != nil {
			f.misbehave(fault, next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wait waits for d, and returns false if the client leaves before.
func (f *Fake) wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-eventually.Later(d):
		return true
	case <-r.Context().Done():
		return false
	case <-f.ended:
		return false
	}
}

// seconds converts seconds at sprites.dev to the time that they take here.
func (f *Fake) seconds(n float64) time.Duration { return time.Duration(n * float64(f.options.Second)) }
