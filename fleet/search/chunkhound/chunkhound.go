// Package chunkhound lets an installed ChunkHound answer queries in place of ocaptain's search, whose tools have the same names.
package chunkhound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ocaptain/fleet/clean"
)

// Hound is a running ChunkHound.
type Hound struct {
	// Version is the version that it reports.
	Version string

	session *mcp.ClientSession
	tools   map[string]bool

	mu     sync.Mutex
	failed error // why it is no longer asked
}

// Timeouts for ChunkHound: Python starts slowly, and it may read the whole repository before its first answer.
const (
	starting  = time.Minute
	answering = 2 * time.Minute
)

// ErrAbsent means that chunkhound is not on PATH.
var ErrAbsent = errors.New("chunkhound is not installed")

// Start starts the ChunkHound on PATH for a directory, with its index in another directory. It ends when ctx does, or with Close. Only one may
// run for a directory: before version 5, a second one fails at the lock of the first.
func Start(ctx context.Context, dir, index string) (*Hound, error) {
	path, err := exec.LookPath("chunkhound")
	if err != nil {
		return nil, ErrAbsent
	}
	cmd := exec.CommandContext(ctx, path, "mcp", dir)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CHUNKHOUND_DATABASE__PATH="+index) // otherwise its index would be in the tree, and count as work
	begun, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "ocaptain"}, nil)
	session, err := client.Connect(begun, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s mcp: %w", path, err)
	}
	h := &Hound{session: session, tools: map[string]bool{}}
	if is := session.InitializeResult(); is != nil && is.ServerInfo != nil {
		h.Version = clean.Word(is.ServerInfo.Version)
	}
	for tool, err := range session.Tools(begun, nil) {
		if err != nil {
			_ = session.Close()
			return nil, fmt.Errorf("%s mcp: %w", path, err)
		}
		h.tools[tool.Name] = true
	}
	return h, nil
}

// Close ends ChunkHound.
func (h *Hound) Close() { _ = h.session.Close() } // the error does not matter

// Has reports whether ChunkHound has a tool and still answers. Its generations have different tools.
func (h *Hound) Has(tool string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed == nil && h.tools[tool]
}

// Call calls a tool. After ChunkHound itself has failed, it is not called again. An error about a query is no such failure.
func (h *Hound) Call(ctx context.Context, tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
	within, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	var given map[string]any
	if err := json.Unmarshal(args, &given); err != nil && len(args) > 0 {
		return nil, err
	}
	r, err := h.session.CallTool(within, &mcp.CallToolParams{Name: tool, Arguments: given})
	if err != nil && ctx.Err() == nil {
		h.mu.Lock()
		h.failed = err
		h.mu.Unlock()
	}
	return r, err
}

// Health returns the state of ChunkHound in one line.
func (h *Hound) Health(ctx context.Context) string {
	h.mu.Lock()
	failed := h.failed
	h.mu.Unlock()
	if failed != nil {
		return "failed: " + failed.Error()
	}
	for _, tool := range []string{"daemon_status", "health_check"} { // of version 5, and of earlier versions
		if !h.Has(tool) {
			continue
		}
		r, err := h.Call(ctx, tool, nil)
		if err != nil {
			return "failed: " + err.Error()
		}
		var is struct {
			Status string `json:"status"`
		}
		if err := json.Unmarshal([]byte(text(r)), &is); err == nil && is.Status != "" {
			return clean.Line(is.Status)
		}
		return clean.Line(strings.TrimSpace(text(r)))
	}
	return "answers"
}

// text returns the text of a result.
func text(r *mcp.CallToolResult) string {
	var all strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			all.WriteString(t.Text)
		}
	}
	return all.String()
}

// Lend lets ChunkHound answer calls of a server's tools that it also has. hound returns the running ChunkHound, nil if it
// has not started yet. tell is called with each query that ChunkHound has answered. If ChunkHound fails, the server answers
// itself.
func Lend(s *mcp.Server, hound func() *Hound, tell func(tool, query string)) {
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			call, ok := r.(*mcp.CallToolRequest)
			h := hound()
			if !ok || h == nil || !h.Has(call.Params.Name) {
				return next(ctx, method, r)
			}
			out, err := h.Call(ctx, call.Params.Name, call.Params.Arguments)
			if err != nil && ctx.Err() == nil {
				return next(ctx, method, r)
			}
			if err != nil {
				return nil, err
			}
			var asked struct{ Query, Pattern string }
			_ = json.Unmarshal(call.Params.Arguments, &asked) // cannot fail: ChunkHound has read these arguments
			tell(call.Params.Name, asked.Query+asked.Pattern)
			return out, nil
		}
	})
}
