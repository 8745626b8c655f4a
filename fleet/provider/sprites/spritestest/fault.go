package spritestest

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
)

// Misdeed is a way in which a request fails.
type Misdeed string

// The misdeeds.
const (
	Drop       Misdeed = "drop"        // the connection is closed before the request is executed
	LoseAnswer Misdeed = "lose answer" // executed; the connection is closed
	Break      Misdeed = "break"       // executed; the answer is 500
	Late       Misdeed = "late"        // executed two seconds later; then the connection is closed
	Deny       Misdeed = "deny"        // executed; refused in the answer
	Claim      Misdeed = "claim"       // not executed; the answer says success
	Miss       Misdeed = "miss"        // the answer says that a sprite, or every sprite in a list, does not exist
	Lag        Misdeed = "lag"         // a list from before the last sprite came or went
	Stranger   Misdeed = "stranger"    // the list that another account would get
	Existed    Misdeed = "existed"     // executed; refused in the answer as if it existed before
	Bare       Misdeed = "bare"        // the answer is empty
	Wall       Misdeed = "wall"        // a proxy in between answers 404
	Refuse     Misdeed = "refuse"      // not executed; the answer is 503
	Forbid     Misdeed = "forbid"      // not executed; the answer says that the sprite's user has no access to the file
	TooMany    Misdeed = "too many"    // not executed; the answer is 429, to retry after a second
	EarlyExit  Misdeed = "early exit"  // a text message reports the end of a command, and its last output is never sent
	NoExit     Misdeed = "no exit"     // a command's connection ends without its exit code
	BareExit   Misdeed = "bare exit"   // the binary message about a command's end has no code
	FastPath   Misdeed = "fast path"   // a command ends before the client listens: 64 KiB are replayed
)

// Fault is a misdeed that will occur in a matching request.
type Fault struct {
	Method  string // "" for any method
	Path    string // a pattern for path.Match, "" for any path
	Times   int
	Misdeed Misdeed
}

// Faults are the faults of a stand-in that have yet to occur. Its zero value has none.
type Faults struct {
	mu  sync.Mutex
	all []*Fault
}

// Plan adds a fault. left returns how often it has yet to occur.
func (f *Faults) Plan(fault Fault) (left func() int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, &fault)
	return func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return fault.Times
	}
}

// Forgive cancels all faults that have not occurred.
func (f *Faults) Forgive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = nil
}

// Left returns how many faults have not occurred yet.
func (f *Faults) Left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, fault := range f.all {
		n += fault.Times
	}
	return n
}

// next returns the fault that occurs in a request, nil for none.
func (f *Faults) next(r *http.Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.all {
		matches, _ := path.Match(fault.Path, r.URL.Path)
		if fault.Times > 0 && (fault.Method == "" || fault.Method == r.Method) && (fault.Path == "" || matches) {
			fault.Times--
			return fault
		}
	}
	return nil
}

// misdeedKey is the context key of a misdeed that the handler itself has to carry out.
type misdeedKey struct{}

func misdeed(r *http.Request) Misdeed {
	m, _ := r.Context().Value(misdeedKey{}).(Misdeed)
	return m
}

func (f *Fake) misbehave(fault *Fault, next http.Handler, w http.ResponseWriter, r *http.Request) {
	socket := r.Header.Get("Upgrade") != ""
	switch m := fault.Misdeed; {
	case m == Refuse:
		fail(w, http.StatusServiceUnavailable, "unavailable", "try again")
	case m == Forbid:
		failFile(w, r.FormValue("path"), fs.ErrPermission)
	case m == TooMany:
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusTooManyRequests, map[string]any{"error": "rate_limited", "message": "slow down", "retry_after_seconds": f.seconds(1).Seconds()})
	case m == Drop || socket && (m == LoseAnswer || m == Break):
		cut(w)
	case m == LoseAnswer:
		next.ServeHTTP(httptest.NewRecorder(), r)
		cut(w)
	case m == Deny:
		next.ServeHTTP(httptest.NewRecorder(), r)
		fail(w, http.StatusUnprocessableEntity, "", "it cannot be done")
	case m == Existed:
		next.ServeHTTP(httptest.NewRecorder(), r)
		fail(w, http.StatusConflict, "sprite already exists", "")
	case m == Bare:
		answer(w, http.StatusOK, map[string]any{})
	case m == Wall:
		http.Error(w, "<html>not found</html>", http.StatusNotFound)
	case m == Claim:
		w.WriteHeader(http.StatusNoContent)
	case m == Miss && r.URL.Path == "/v1/sprites":
		answer(w, http.StatusOK, map[string]any{"sprites": []any{}, "has_more": false, "org": map[string]any{"name": f.options.Org}})
	case m == Miss:
		fail(w, http.StatusNotFound, "sprite not found", "")
	case m == Late:
		f.delay(next, r)
		cut(w)
	case m == Break:
		next.ServeHTTP(httptest.NewRecorder(), r)
		fail(w, http.StatusInternalServerError, "", "internal error")
	default:
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), misdeedKey{}, m)))
	}
}

// delay executes a request two seconds later, even if the client has left. It returns after that, or when the client
// leaves.
func (f *Fake) delay(next http.Handler, r *http.Request) {
	raw, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // a partial body is good enough
	later := r.Clone(context.WithoutCancel(r.Context()))
	later.Body = io.NopCloser(bytes.NewReader(raw))
	done := make(chan struct{})
	f.late.Go(func() {
		defer close(done)
		if f.wait(later, f.seconds(2)) {
			next.ServeHTTP(httptest.NewRecorder(), later)
		}
	})
	select {
	case <-done:
	case <-r.Context().Done():
	}
}

// cut closes the connection without an answer.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }
