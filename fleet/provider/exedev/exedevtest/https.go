package exedevtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// ServeHTTP serves the HTTPS API without encryption, and connects to all other addresses.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.heard(r.Method + " " + r.RequestURI)
	for name, values := range r.Header {
		if name != "Authorization" { // the token may be here, so it is not recorded
			f.heard(name + ": " + strings.Join(values, ", "))
		}
	}
	switch {
	case r.Method == http.MethodConnect:
		f.connect(w, r)
	case r.URL.Path != "/exec":
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		problem(w, http.StatusMethodNotAllowed, "POST only")
	default:
		f.exec(w, r)
	}
}

func problem(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}

func (f *Fake) exec(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10+1))
	if err != nil || len(body) > 64<<10 {
		problem(w, http.StatusRequestEntityTooLarge, "the command is too long")
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	allowed, ok := f.allows(token)
	words, err := split(string(body))
	switch {
	case !ok:
		problem(w, http.StatusUnauthorized, "invalid token")
		return
	case err != nil || len(words) == 0:
		problem(w, http.StatusBadRequest, "cannot read the command")
		return
	}
	if len(allowed) == 0 {
		allowed = defaults
	}
	if !slices.Contains(allowed, commandName(words)) {
		problem(w, http.StatusForbidden, fmt.Sprintf("command %q is not allowed", commandName(words)))
		return
	}
	result, status, ok := f.perform(string(body))
	switch {
	case !ok:
		panic(http.ErrAbortHandler) // closes the connection
	case status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
		problem(w, status, "too many requests")
	case status != http.StatusOK:
		problem(w, status, "internal error")
	case result.unknown:
		problem(w, http.StatusNotFound, result.out)
	case words[0] == "ssh" && result.code != 0 || words[0] == "ssh" && !strings.HasPrefix(result.out, "{"):
		w.Header().Set("Trailer", "X-Exe-Exit")
		_, _ = io.WriteString(w, result.out)
		w.Header().Set("X-Exe-Exit", strconv.Itoa(result.code))
	case result.code != 0:
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, result.out)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result.out)
	}
}

// connect connects to the lobby and to machines, by their names, and to servers on this machine.
func (f *Fake) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if ip := net.ParseIP(host); err == nil && ip.IsLoopback() {
		near(w, r.Host)
		return
	}
	m := f.standsAt(host)
	if err != nil || port != "22" || host != "exe.dev" && host != gateway && (m == nil || m.status() != "running") {
		problem(w, http.StatusBadGateway, "nobody there")
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	f.mu.Lock()
	f.conns[conn] = true
	f.mu.Unlock()
	defer func() {
		conn.Close()
		f.mu.Lock()
		delete(f.conns, conn)
		f.mu.Unlock()
	}()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	through := &early{conn, buffered.Reader}
	if host == "exe.dev" {
		f.serveLobby(through)
		return
	}
	f.serveMachine(through, m)
}

// near connects to a server on this machine.
func near(w http.ResponseWriter, addr string) {
	to, err := net.Dial("tcp", addr)
	if err != nil {
		problem(w, http.StatusBadGateway, "nobody there")
		return
	}
	defer to.Close()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(to, buffered)
		to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

// early is a connection whose beginning may already have been read.
type early struct {
	net.Conn
	r *bufio.Reader
}

func (e *early) Read(b []byte) (int, error) { return e.r.Read(b) }
