package chunkhound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ocaptain/fleet/search"
	"ocaptain/fleet/search/tools"
)

// generations are the tools of each generation of ChunkHound, and the answer of each.
var generations = map[string]map[string]string{
	"3.3.1": {"search_semantic": `{"results":[]}`, "search_regex": `{"results":[]}`, "get_stats": `{"total_files":7}`, "health_check": `{"status":"healthy"}`},
	"4.0.1": {"search_semantic": `{"results":[]}`, "search_regex": `{"results":[]}`, "get_stats": `{"total_files":7}`, "health_check": `{"status":"healthy"}`, "code_research": "# Answer"},
	"5.2.1": {"search": "No results found.", "daemon_status": `{"status":"ready"}`, "code_research": "# Answer", "websearch": "nothing"},
}

// TestMain is also a stand-in for ChunkHound, which cannot be installed where these tests run. FAKE is its version; with
// "dies" after that, a call makes it end.
func TestMain(m *testing.M) {
	version, dies := strings.CutSuffix(os.Getenv("FAKE"), " dies")
	if version == "" {
		os.Exit(m.Run())
	}
	if os.Args[1] != "mcp" || os.Getenv("CHUNKHOUND_DATABASE__PATH") == "" || generations[version] == nil {
		fmt.Println("Traceback (most recent call last):")
		os.Exit(1)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "ChunkHound", Version: version}, nil)
	for name, answer := range generations[version] {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if dies {
				os.Exit(1)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer}}}, nil
		})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// install puts a stand-in on PATH.
func install(t *testing.T, version string) {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nFAKE='%s' exec '%s' \"$@\"\n", version, os.Args[0])
	if err := os.WriteFile(filepath.Join(dir, "chunkhound"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// client returns a client of the search tools of a repository, to which ChunkHound lends its answers.
func client(t *testing.T, h *Hound, tell func(tool, query string)) *mcp.ClientSession {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nfunc Anchor() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := search.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	server := tools.New(tree, "1", func(tools.Asked) {})
	Lend(server, func() *Hound { return h }, tell)
	here, there := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = session.Wait() })
	return c
}

func TestGenerations(t *testing.T) {
	for version, has := range generations {
		install(t, version)
		h, err := Start(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "index"))
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		if health := h.Health(t.Context()); h.Version != version || health != "healthy" && health != "ready" {
			t.Errorf("%s: %q is %q", version, h.Version, health)
		}
		told := map[string]bool{}
		c := client(t, h, func(tool, query string) { told[tool] = strings.EqualFold(query, "anchor") })
		for tool, args := range map[string]map[string]any{
			"search_semantic": {"query": "anchor"}, "search_regex": {"pattern": "Anchor"}, "search": {"type": "semantic", "query": "anchor"}, "code_research": {"query": "anchor"},
		} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil || r.IsError {
				t.Errorf("%s %s: %v", version, tool, err)
				continue
			}
			want, lent := has[tool]
			if got := text(r); lent && got != want || !lent && !strings.Contains(got, "Anchor") {
				t.Errorf("%s %s answers %q", version, tool, got)
			}
			if told[tool] != lent {
				t.Errorf("%s %s: told %v", version, tool, told)
			}
		}
		h.Close()
	}
}

// A ChunkHound that ends during a call is not called again: ocaptain's search answers that query and all later ones.
func TestDies(t *testing.T) {
	install(t, "4.0.1 dies")
	h, err := Start(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "index"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	c := client(t, h, func(tool, _ string) { t.Errorf("%s was answered", tool) })
	for range 2 {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_semantic", Arguments: map[string]any{"query": "anchor"}})
		if err != nil || !strings.Contains(text(r), "Anchor") {
			t.Errorf("%v", err)
		}
	}
	if h.Has("search_semantic") || !strings.HasPrefix(h.Health(t.Context()), "failed: ") {
		t.Errorf("it is %q", h.Health(t.Context()))
	}
}

func TestStartFails(t *testing.T) {
	install(t, "6.0.0")
	if _, err := Start(t.Context(), t.TempDir(), "index"); err == nil || errors.Is(err, ErrAbsent) {
		t.Errorf("a program that serves nothing: %v", err)
	}
	t.Setenv("PATH", "/nowhere")
	if _, err := Start(t.Context(), t.TempDir(), "index"); !errors.Is(err, ErrAbsent) {
		t.Errorf("none: %v", err)
	}
}
