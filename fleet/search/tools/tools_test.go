package tools

import (
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
)

// served returns a client of the tools of a repository with these files.
func served(t *testing.T, files map[string]string, tell func(Asked)) *mcp.ClientSession {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := search.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	here, there := mcp.NewInMemoryTransports()
	server, err := New(tree, "1", tell).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(); _ = server.Wait() })
	return client
}

// call returns the answer of a tool, and whether it is an error.
func call(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

const auth = `package auth

// Expired reports whether a token is too old to be used.
func Expired(t Token) bool { return t.Age > maxAge }

// Renew asks the server for another token.
func Renew() error { return nil }
`

func TestTools(t *testing.T) {
	var told []Asked
	c := served(t, map[string]string{"auth.go": auth, "README.md": "# Use\n\nTokens are renewed by hand.\n", "docs/discoveries/2026-11/1.1-a.md": "---\ntype: gotcha\n---\n\nThe clock of walruses is late.\n"}, func(a Asked) { told = append(told, a) })
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if raw, err := json.Marshal(tool.InputSchema); err != nil || !strings.Contains(string(raw), `"type":"object"`) {
			t.Errorf("%s: schema %s, %v", tool.Name, raw, err)
		}
	}
	if got := strings.Join(names, " "); got != "code_research get_stats health_check search search_regex search_semantic" {
		t.Errorf("tools %s", got)
	}
	for _, tt := range []struct {
		tool  string
		args  map[string]any
		fails bool
		want  []string
	}{
		{"search_semantic", map[string]any{"query": "is the token too old"}, false, []string{`"symbol":"Expired"`, `"similarity":0.`, `"start_line":3`, `"file_path":"auth.go"`, `"language":"go"`, `"total":3`, `"next_offset":null`}},
		{"search_semantic", map[string]any{"query": "token", "page_size": 1}, false, []string{`"has_more":true`, `"next_offset":1`}},
		{"search_semantic", map[string]any{"query": "token", "threshold": 1}, false, []string{`"results":[]`, `"has_more":false`}},
		{"search_semantic", map[string]any{"query": "zebra"}, false, []string{`"results":[]`, `"total":0`}},
		{"search_regex", map[string]any{"pattern": "^func R"}, false, []string{`"name":"Renew"`, `"chunk_type":"function"`, `"total":1`}},
		{"search_regex", map[string]any{"pattern": "hand", "path": "README.md"}, false, []string{`"name":"Use"`, `"chunk_type":"section"`}},
		{"search", map[string]any{"type": "semantic", "query": "renew a token"}, false, []string{"## `auth.go` L6–L7 — Renew (", "\n---\n", "Page 1 of 1 (results 1–3 of 3)"}},
		{"search", map[string]any{"type": "regex", "query": "nowhere"}, false, []string{"No results found."}},
		{"search_semantic", map[string]any{"query": "walrus clock"}, false, []string{`"chunk_type":"discovery"`, `"total":1`}},
		{"search_regex", map[string]any{"pattern": "walruses"}, false, []string{`"chunk_type":"discovery"`}},
		{"search", map[string]any{"type": "semantic", "query": "walrus clock"}, false, []string{"## `docs/discoveries/2026-11/1.1-a.md` L1–L5 — discovery ("}},
		{"code_research", map[string]any{"query": "walrus clock"}, false, []string{"`docs/discoveries/2026-11/1.1-a.md:1-5` discovery\n"}},
		{"code_research", map[string]any{"query": "how are tokens renewed"}, false, []string{"## `.`", "`auth.go:6-7` function Renew"}},
		{"get_stats", map[string]any{}, false, []string{`"total_files":3`, `"total_chunks":4`, `"total_embeddings":0`}},
		{"health_check", map[string]any{}, false, []string{`"status":"healthy"`, `"version":"1"`, `"embedding_providers":[]`}},

		{"search_semantic", map[string]any{}, true, []string{"query"}},
		{"search_semantic", map[string]any{"query": 3}, true, []string{"query"}},
		{"search_semantic", map[string]any{"query": "x", "page_size": 1000}, true, []string{"page_size"}},
		{"search_semantic", map[string]any{"query": "x", "pages": 2}, true, []string{"pages"}},
		{"search", map[string]any{"type": "fuzzy", "query": "x"}, true, []string{"type"}},
		{"search_regex", map[string]any{"pattern": "(?<=a)b"}, true, []string{`pattern "(?<=a)b"`, "RE2"}},
		{"search_regex", map[string]any{"pattern": "x", "path": "../.."}, true, []string{`path "../.."`}},
		{"search_semantic", map[string]any{"query": "token", "path": "nowhere"}, true, []string{`path "nowhere": nothing is indexed there`}},
	} {
		text, failed := call(t, c, tt.tool, tt.args)
		if failed != tt.fails {
			t.Errorf("%s %v: failed %t: %s", tt.tool, tt.args, failed, text)
		}
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v lacks %s:\n%s", tt.tool, tt.args, want, text)
			}
		}
	}
	if len(told) != 13 || fmt.Sprint(told[0]) != "{search_semantic is the token too old 3 [auth.go README.md auth.go]}" {
		t.Errorf("told of %+v", told)
	}
}

// The end of a long answer is cut off, and another call returns it.
func TestLongAnswers(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range 50 {
		fmt.Fprintf(&b, "\nfunc Number%d() string { return %q }\n", i, strings.Repeat("token ", 200))
	}
	c := served(t, map[string]string{"a.go": b.String()}, func(Asked) {})
	seen := map[string]bool{}
	for offset := 0; ; {
		text, failed := call(t, c, "search_semantic", map[string]any{"query": "token", "page_size": 100, "offset": offset, "max_response_tokens": 2000})
		var a answer
		if err := json.Unmarshal([]byte(text), &a); err != nil || failed || len(text) > 7000 || len(a.Results) == 0 {
			t.Fatalf("from %d: %d bytes, %d results, %v", offset, len(text), len(a.Results), err)
		}
		for _, r := range a.Results {
			seen[r.ID] = true
		}
		if a.Pagination.Next == nil {
			break
		}
		offset = *a.Pagination.Next
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 were told", len(seen))
	}
}
