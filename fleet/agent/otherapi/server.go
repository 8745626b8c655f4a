// Package otherapi stands in for the services of agents other than Claude Code on this machine: it speaks as much of the
// protocols of OpenAI (responses and chat completions) and Gemini as the agents need, and a Go function answers in place
// of the model.
package otherapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Talk is what a model sees of a conversation.
type Talk struct {
	Prompt  string   // the newest message of the user
	Results []string // the output of the commands that were run since
	Turn    int      // the number of that message in the session, from 1
}

// Step is what a model does next: it runs a command, or ends the turn if Run is "".
type Step struct {
	Say string
	Run string
}

// Model answers in place of the model.
type Model func(Talk) Step

// Server is a model's API on loopback.
type Server struct {
	URL string // base URL, without a path

	mu    sync.Mutex
	talks []Talk
	paths []string

	server http.Server
	served sync.WaitGroup
}

// Start starts a server. The caller has to close it.
func Start(m Model) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("loopback API: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String()}
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, m) })
	s.served.Go(func() { _ = s.server.Serve(listener) }) // returns when the server is closed
	return s, nil
}

// Close ends the server.
func (s *Server) Close() {
	_ = s.server.Close()
	s.served.Wait()
}

// Talks returns the conversations of all requests so far.
func (s *Server) Talks() []Talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Talk(nil), s.talks...)
}

// Paths returns the paths of all requests so far.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.paths...)
}

// largest bounds a request, in bytes.
const largest = 16 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request, m Model) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, largest))
	if err != nil {
		return
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	var p protocol
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/responses") && r.Method == http.MethodPost:
		p = &responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		p = &completions{}
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		p = &gemini{plain: strings.HasSuffix(path, ":generateContent")}
	default:
		http.Error(w, `{"error":{"message":"there is no such thing here"}}`, http.StatusNotFound)
		return
	}
	if err := json.Unmarshal(raw, p); err != nil {
		http.Error(w, fmt.Sprintf(`{"error":{"message":%q}}`, err.Error()), http.StatusBadRequest)
		return
	}
	talk, tool := p.talk()
	s.mu.Lock()
	s.talks = append(s.talks, talk)
	n := len(s.talks)
	s.mu.Unlock()
	step := m(talk)
	if tool == "" {
		step.Run = "" // a request for a title or a summary
	}
	p.answer(w, step, tool, n)
}

// protocol is a request in one of the protocols.
type protocol interface {
	talk() (Talk, string) // the conversation, and the tool that runs commands
	answer(w http.ResponseWriter, s Step, tool string, n int)
}

// shells are the names that agents give to the tool that runs a command.
var shells = []string{"exec_command", "shell_command", "shell", "run_shell_command", "bash"}

func pick(tools []string) string {
	for _, s := range shells {
		for _, t := range tools {
			if s == t {
				return s
			}
		}
	}
	return ""
}

// arguments returns the arguments with which this tool runs a command.
func arguments(tool, command string) map[string]any {
	switch tool {
	case "exec_command":
		return map[string]any{"cmd": command}
	case "shell":
		return map[string]any{"command": []string{"bash", "-lc", command}}
	case "shell_command":
		return map[string]any{"command": command}
	default:
		return map[string]any{"command": command, "description": "Do the work"}
	}
}

// events writes server-sent events; named says whether each has a name.
func events(w http.ResponseWriter, named bool, all ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		raw := mustJSON(e)
		if named {
			fmt.Fprintf(w, "event: %s\n", e.(map[string]any)["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: maps of strings and numbers can always be encoded
	}
	return raw
}
