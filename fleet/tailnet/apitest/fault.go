package apitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
)

// Misdeed is a way in which a request fails.
type Misdeed string

// The misdeeds.
const (
	Drop       Misdeed = "drop"        // the connection is closed before the request is executed
	LoseAnswer Misdeed = "lose answer" // executed; the connection is closed
	Break      Misdeed = "break"       // executed; the answer is 500
	Refuse     Misdeed = "refuse"      // not executed; the answer is 503 with a page for people
	TooMany    Misdeed = "too many"    // not executed; the answer is 429, to retry after a second
	Miss       Misdeed = "miss"        // not executed; the answer is 404 although the object exists
	Deny       Misdeed = "deny"        // not executed; the answer is 403
	Hang       Misdeed = "hang"        // no answer until the client leaves
	Stray      Misdeed = "stray"       // the answer is a redirect to another host
	Nonsense   Misdeed = "nonsense"    // the answer is 200 with a page for people
	Half       Misdeed = "half"        // executed; the connection is closed in the middle of the answer
	Endless    Misdeed = "endless"     // the answer does not end until the client leaves
	Echo       Misdeed = "echo"        // the answer is 400 and repeats what was sent, secrets and all
)

// Fault is a misdeed that will occur in a matching request.
type Fault struct {
	Method  string // "" for any method
	Path    string // a pattern for path.Match on the path after /api/v2, "" for any
	Times   int
	Misdeed Misdeed
}

// Plan adds a fault.
func (f *Fake) Plan(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &fault)
}

// Forgive cancels the faults that have not occurred, and returns their number.
func (f *Fake) Forgive() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, fault := range f.faults {
		n += fault.Times
	}
	f.faults = nil
	return n
}

func (f *Fake) fault(r *http.Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.faults {
		matches, _ := path.Match(fault.Path, strings.TrimPrefix(r.URL.Path, "/api/v2"))
		if fault.Times > 0 && (fault.Method == "" || fault.Method == r.Method) && (fault.Path == "" || matches) {
			fault.Times--
			return fault
		}
	}
	return nil
}

func (f *Fake) misbehave(fault *Fault, next http.Handler, w http.ResponseWriter, r *http.Request) {
	switch fault.Misdeed {
	case Drop:
		cut()
	case LoseAnswer:
		next.ServeHTTP(httptest.NewRecorder(), r)
		cut()
	case Break:
		next.ServeHTTP(httptest.NewRecorder(), r)
		fail(w, http.StatusInternalServerError, "internal error")
	case Refuse:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, "<html>\x1b[31mtry again</html>")
	case TooMany:
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusTooManyRequests, "rate limit exceeded")
	case Miss:
		fail(w, http.StatusNotFound, "device not found")
	case Deny:
		fail(w, http.StatusForbidden, "calling actor does not have enough permissions to perform this function")
	case Hang:
		select {
		case <-r.Context().Done():
		case <-f.ended:
		}
	case Stray:
		http.Redirect(w, r, "http://example.org/"+r.Header.Get("Authorization"), http.StatusTemporaryRedirect)
	case Nonsense:
		fmt.Fprint(w, "<html>welcome</html>")
	case Half:
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()+1))
		_, _ = w.Write(rec.Body.Bytes())
		cut()
	case Endless:
		for page := []byte(strings.Repeat(" ", 1<<16)); r.Context().Err() == nil; {
			if _, err := w.Write(page); err != nil {
				return
			}
		}
	case Echo:
		_, secret, _ := r.BasicAuth()
		fail(w, http.StatusBadRequest, "\x1b[31m"+r.Header.Get("Authorization")+" "+secret+" "+secret[strings.LastIndexByte(secret, '-')+1:])
	}
}

// cut closes the connection without an answer.
func cut() { panic(http.ErrAbortHandler) }
