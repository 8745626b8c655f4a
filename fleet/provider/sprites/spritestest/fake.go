// Package spritestest is a sprites.dev on loopback. It is built from what is documented and was
// seen of the real service, not from what ocaptain's client asks for, and misbehaves like it on demand. Each
// sprite is a sandbox on this machine, with a file system, a network and processes of its own, so what is
// run there really runs.
//
// Of the service it has: sprites (create, list, get, put, delete), commands without a terminal over
// WebSocket, the tunnel, files (read, write, list, delete, rename), services, the network policy, and inside a sprite the tasks
// that keep it awake. It has no terminals, sessions, checkpoints and no commands over plain HTTP.
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

// Options make a fake.
type Options struct {
	// Exe and Args are a program that calls local.Serve: the door into a sandbox.
	Exe  string
	Args []string

	// Second is how long a second of sprites.dev takes. Default: a second.
	Second time.Duration

	// CreatesPerMinute is how many sprites may be made in a minute; 0 for any number.
	CreatesPerMinute int

	// Org is the name of the organization. Default: acme.
	Org string

	// Bare makes tokens that do not tell whose they are.
	Bare bool

	// Running is how many sprites the organization may have; 0 for any number.
	Running int

	// Latency is added to every answer.
	Latency time.Duration

	// ColdAfter is how many seconds of rest after the pause a sprite loses its processes; 0 for never.
	ColdAfter int

	// RootServices has services run as the superuser, with next to no environment, and all else as the user sprite. It
	// takes a test that runs as the superuser.
	RootServices bool

	// Env is added to the environment of everything in sprites.
	Env map[string]string

	// Outside are addresses on loopback that sprites reach like this machine itself, TCP only. They reach nothing
	// else. Carrier is the argument that has the test's own binary call Carry.
	Outside []string
	Carrier string
}

// IdlePause is after how many seconds an unused sprite is paused.
const IdlePause = 30

// Fake is one organization on sprites.dev.
type Fake struct {
	URL  string // what SPRITES_API_URL is set to
	Root string // has all that is on sprites

	options Options
	t       testing.TB
	root    string
	server  *httptest.Server
	late    sync.WaitGroup // requests that are carried out after their client has left

	mu       sync.Mutex
	token    string
	sprites  map[string]*sprite
	before   map[string]*sprite // sprites before the last one came or went
	creates  []time.Time
	faults   []*Fault
	requests []string
	headers  []string
	numbers  int
	ended    chan struct{}
}

// Start runs a fake until the end of the test.
func Start(t testing.TB, options Options) *Fake {
	t.Helper()
	slottest.Take(t, 1)
	if options.Second == 0 {
		options.Second = time.Second
	}
	if options.Org == "" {
		options.Org = "acme"
	}
	root, err := os.MkdirTemp("/tmp", "os-") // short, for sockets
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

// Token is the token that opens the organization now.
func (f *Fake) Token() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.token
}

// Revoke makes the token worthless and returns the next token. Connections that were opened with
// the old token end.
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

// Requests are the method and the whole address of every request so far.
func (f *Fake) Requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.requests...)
}

// Headers are the lines of the headers of every request so far, but for that with the token.
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
		"GET /v1/sprites/{name}":                            f.get,
		"PUT /v1/sprites/{name}":                            f.change,
		"DELETE /v1/sprites/{name}":                         f.remove,
		"GET /v1/sprites/{name}/exec":                       f.exec,
		"GET /v1/sprites/{name}/proxy":                      f.proxy,
		"GET /v1/sprites/{name}/fs/read":                    f.readFile,
		"PUT /v1/sprites/{name}/fs/write":                   f.writeFile,
		"GET /v1/sprites/{name}/fs/list":                    f.listFiles,
		"DELETE /v1/sprites/{name}/fs/delete":               f.deleteFile,
		"POST /v1/sprites/{name}/fs/rename":                 f.renameFile,
		"GET /v1/sprites/{name}/services":                   f.listServices,
		"GET /v1/sprites/{name}/services/{service}":         f.getService,
		"PUT /v1/sprites/{name}/services/{service}":         f.putService,
		"DELETE /v1/sprites/{name}/services/{service}":      f.deleteService,
		"POST /v1/sprites/{name}/services/{service}/{verb}": f.driveService,
		"GET /v1/sprites/{name}/policy/network":             f.getPolicy,
		"POST /v1/sprites/{name}/policy/network":            f.setPolicy,
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

// guard is what stands before all routes: latency, the token, and misdeeds.
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
		if fault := f.fault(r); fault != nil {
			f.misbehave(fault, next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wait lets time pass, unless the client leaves.
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

// seconds is a time of sprites.dev as it passes here.
func (f *Fake) seconds(n float64) time.Duration { return time.Duration(n * float64(f.options.Second)) }
