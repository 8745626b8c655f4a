package spritestest

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
)

// Misdeed is what can go wrong with a request.
type Misdeed string

// The misdeeds.
const (
	Drop       Misdeed = "drop"        // the connection is cut before anything was done
	LoseAnswer Misdeed = "lose answer" // it is done, and the connection is cut
	Break      Misdeed = "break"       // it is done, and the answer is 500
	Late       Misdeed = "late"        // it is done two seconds later, and the connection is cut then
	Deny       Misdeed = "deny"        // it is done, and refused
	Claim      Misdeed = "claim"       // it is not done, and said to be
	Miss       Misdeed = "miss"        // a sprite, or all of a list, is said not to be there
	Lag        Misdeed = "lag"         // a list is as it was before the last sprite came or went
	Stranger   Misdeed = "stranger"    // a list is what another account would be told
	Existed    Misdeed = "existed"     // it is done, and refused as if it was done before
	Bare       Misdeed = "bare"        // the answer has nothing in it
	Wall       Misdeed = "wall"        // a server in between answers 404
	Refuse     Misdeed = "refuse"      // it is not done, and the answer is 503
	Forbid     Misdeed = "forbid"      // it is not done, as the sprite's user may not touch the file
	TooMany    Misdeed = "too many"    // it is not done, and the answer is 429 with a second to wait
	EarlyExit  Misdeed = "early exit"  // a command's end is told in text, and its last output never comes
	NoExit     Misdeed = "no exit"     // a command's connection ends without telling how it ended
	BareExit   Misdeed = "bare exit"   // the binary message of a command's end has no code
	FastPath   Misdeed = "fast path"   // a command is over before the client listens: 64 KiB are replayed
)

// Fault is a misdeed that waits for its request.
type Fault struct {
	Method  string // "" for any
	Path    string // pattern of path.Match, "" for any
	Times   int
	Misdeed Misdeed
}

// Plan adds a fault. What it returns tells how often that has yet to happen.
func (f *Fake) Plan(fault Fault) (left func() int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &fault)
	return func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return fault.Times
	}
}

// Forgive ends all misdeeds.
func (f *Fake) Forgive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// Left counts the misdeeds that have not happened yet.
func (f *Fake) Left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, fault := range f.faults {
		n += fault.Times
	}
	return n
}

func (f *Fake) fault(r *http.Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.faults {
		matches, _ := path.Match(fault.Path, r.URL.Path)
		if fault.Times > 0 && (fault.Method == "" || fault.Method == r.Method) && (fault.Path == "" || matches) {
			fault.Times--
			return fault
		}
	}
	return nil
}

// misdeedKey carries a misdeed that only the handler can do.
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

// delay does what a request asks for two seconds later, even if the client has left. It returns
// then, or when the client leaves.
func (f *Fake) delay(next http.Handler, r *http.Request) {
	raw, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // what came counts
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

// cut ends the connection without an answer.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }
